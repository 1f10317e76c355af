// title:   Write chunks
// purpose: Creates chunks or moves them to their new place; their text never changes, because the id hashes it.
// mode:    write
// params:  $rows LIST<MAP> (id and properties of each chunk)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (d:KgDocument {id: row.properties.document_id})
MERGE (c:KgChunk:Chunk {id: row.id})
SET c += row.properties
MERGE (c)-[:IN_DOCUMENT]->(d)
