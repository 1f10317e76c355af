// title:   Drop a vector index
// purpose: Used where vectors of another model take the place of old ones.
// mode:    schema
// params:  $name STRING (name of the index)
// columns: none
// order:   none
// source:  kg-neo4j
DROP INDEX $name IF EXISTS
