// title:   Link the chunks of documents in reading order
// purpose: Replaces the NEXT_CHUNK relationships of documents.
// mode:    write
// params:  $ids LIST<STRING> (document ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (d:KgDocument {id: id})
CALL (d) {
  MATCH (d)<-[:IN_DOCUMENT]-(:KgChunk)-[old:NEXT_CHUNK]->(:KgChunk)
  DELETE old
}
WITH d
CALL (d) {
  MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk)
  WITH c ORDER BY c.index
  WITH collect(c) AS chunks
  UNWIND range(0, size(chunks) - 2) AS i
  WITH chunks[i] AS a, chunks[i + 1] AS b
  CREATE (a)-[:NEXT_CHUNK]->(b)
}
