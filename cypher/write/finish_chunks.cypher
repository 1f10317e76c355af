// title:   Mark chunks as recorded
// purpose: The digest of what was recorded, in the transaction that recorded it; and the answers, word for word.
// mode:    write
// params:  $rows LIST<MAP> (id, properties and answers of each chunk)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (c:KgChunk {id: row.id})
SET c += row.properties
WITH c, row
UNWIND row.answers AS answer
MERGE (a:KgAnswer:Answer {id: answer.id})
ON CREATE SET a = answer
MERGE (a)-[:ANSWERS]->(c)
