// title:   Drop a constraint
// purpose: Used where all of ours are removed.
// mode:    schema
// params:  $name STRING (name of the constraint)
// columns: none
// order:   none
// source:  kg-neo4j
DROP CONSTRAINT $name IF EXISTS
