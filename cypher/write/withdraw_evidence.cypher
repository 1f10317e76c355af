// title:   Withdraw the evidence of chunks
// purpose: Deletes what chunks support and marks the touched entities and facts for settling.
// mode:    write
// params:  $ids LIST<STRING> (chunk ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
REMOVE c.recorded, c.done
WITH c
MATCH (n)-[evidence:MENTIONED_IN|STATED_IN]->(c)
SET n:Unsettled
DELETE evidence
