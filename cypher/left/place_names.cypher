// title:   Whether the document of a chunk is left
// purpose: Filters by document, language and kind that leave many documents.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgChunk {id: $id})
WHERE EXISTS { (this)-[:IN_DOCUMENT]->(this_document:KgDocument) WHERE true /* left: document this_document */ }
RETURN this.id AS id
