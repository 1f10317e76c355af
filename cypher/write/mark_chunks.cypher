// title:   Mark what chunks support
// purpose: Chunks that moved within their document change the order of evidence.
// mode:    write
// params:  $ids LIST<STRING> (chunk ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
MATCH (n)-[:MENTIONED_IN|STATED_IN]->(c)
SET n:Unsettled
