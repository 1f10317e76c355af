// title:   Whether a chunk is of one of few documents
// purpose: Filters by document, language and kind that leave few documents.
// mode:    read
// params:  $id STRING (of the one that is tested); $only_documents LIST<STRING> (ids of those that are left)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgChunk {id: $id})
WHERE this.document_id IN $only_documents
RETURN this.id AS id
