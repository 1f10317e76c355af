// title:   Whether a chunk that is left mentions an entity
// purpose: Every filter. A chunk that mentions an entity of some types passes the filter by type by that.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgEntity {id: $id})
WHERE EXISTS { (this)-[:MENTIONED_IN]->(this_chunk:KgChunk) WHERE true /* left: place this_chunk */ }
RETURN this.id AS id
