// title:   Drop a constraint
// purpose: Used where the schema of an earlier version is replaced, or all of ours is removed.
// mode:    schema
// params:  $name STRING (name of the constraint)
// columns: none
// order:   none
// source:  kg-neo4j
DROP CONSTRAINT $name IF EXISTS
