// title:   Whether a chunk that is left says the year of birth of an entity
// purpose: Every filter.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgEntity {id: $id})
WHERE EXISTS {
  MATCH (this)-[this_told:MENTIONED_IN]->(this_chunk:KgChunk)
  WHERE true /* left: chunk this_chunk */ AND this_told.birth_year = this.birth_year }
RETURN this.id AS id
