// title:   Write the chunks of one document
// purpose: Creates chunks or moves them to their new place; their text never changes, because the id hashes it.
// mode:    write
// params:  $document_id STRING (document id); $rows LIST<MAP> (id and properties of each chunk)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument {id: $document_id})
UNWIND $rows AS row
MERGE (c:KgChunk:Chunk {id: row.id})
SET c += row.properties
MERGE (c)-[:IN_DOCUMENT]->(d)
