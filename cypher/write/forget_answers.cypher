// title:   Forget answers to earlier versions of a schema
// purpose: What is read again leaves nothing of what was read before.
// mode:    write
// params:  $ids LIST<STRING> (chunk ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (a:KgAnswer)-[:ANSWERS]->(:KgChunk {id: id})
DETACH DELETE a
