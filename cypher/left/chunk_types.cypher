// title:   Whether a chunk mentions an entity of some types
// purpose: Filters by type.
// mode:    read
// params:  $id STRING (of the one that is tested); $only_types LIST<STRING> (of entities)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgChunk {id: $id})
WHERE EXISTS { (this)<-[:MENTIONED_IN]-(this_entity:KgEntity) WHERE this_entity.type IN $only_types }
RETURN this.id AS id
