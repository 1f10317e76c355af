// title:   Which facts exist
// purpose: New keys are born settled; known ones are marked for settling.
// mode:    read
// params:  $ids LIST<STRING> (fact ids)
// columns: id STRING
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (f:KgFact {id: id})
RETURN id
