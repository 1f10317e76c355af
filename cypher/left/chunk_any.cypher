// title:   Whether a chunk is left but for the types that it mentions
// purpose: Every filter. What is true of a chunk by its document and its dates is tested by the files place_*.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgChunk {id: $id})
WHERE true /* left: place this */
RETURN this.id AS id
