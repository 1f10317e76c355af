// title:   Which entities exist
// purpose: New keys are born settled; known ones are marked for settling.
// mode:    read
// params:  $ids LIST<STRING> (entity ids)
// columns: id STRING
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (e:KgEntity {id: id})
RETURN id
