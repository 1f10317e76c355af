// title:   Drop an index
// purpose: Used where vectors of another model take its place, where it has failed, or where all of ours are removed.
// mode:    schema
// params:  $name STRING (name of the index)
// columns: none
// order:   none
// source:  kg-neo4j
DROP INDEX $name IF EXISTS
