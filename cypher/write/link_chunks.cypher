// title:   Link the chunks of one document in reading order
// purpose: Replaces the NEXT_CHUNK relationships of a document.
// mode:    write
// params:  $document_id STRING (document id)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument {id: $document_id})
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
