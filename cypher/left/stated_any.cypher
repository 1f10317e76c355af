// title:   Whether a chunk that is left states a fact
// purpose: Every filter; of a fact by itself.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgFact {id: $id})
WHERE EXISTS { (this)-[:STATED_IN]->(this_chunk:KgChunk) WHERE true /* left: chunk this_chunk */ }
RETURN this.id AS id
