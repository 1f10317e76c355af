// title:   Write one document
// purpose: Creates the document or brings its properties up to date.
// mode:    write
// params:  $id STRING (document id); $properties MAP (all its properties)
// columns: none
// order:   none
// source:  kg-neo4j
MERGE (d:KgDocument:Document {id: $id})
SET d = $properties
