// title:   Whether an entity is of some types
// purpose: Filters by type.
// mode:    read
// params:  $id STRING (of the one that is tested); $only_types LIST<STRING> (of entities)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgEntity {id: $id})
WHERE this.type IN $only_types
RETURN this.id AS id
