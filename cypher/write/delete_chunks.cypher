// title:   Delete chunks
// purpose: Deletes chunks without evidence, their stored answers, their passages and what hangs on them.
// mode:    write
// params:  $ids LIST<STRING> (chunk ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
OPTIONAL MATCH (a:KgAnswer|KgPassage)-[:ANSWERS|IN_CHUNK]->(c)
DETACH DELETE c, a
