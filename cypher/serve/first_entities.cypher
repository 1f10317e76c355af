// title:   Entities to begin with
// purpose: The best attested entities of some documents: something to click on the first page. Not all are looked at.
// mode:    read
// params:  $graph STRING (graph name, default main); $chunks INTEGER (to look at, >= 1, default 100); $limit INTEGER (entities, >= 1, default 12)
// columns: id STRING, name STRING, type STRING
// order:   evidence descending, then name, id
// source:  kg-neo4j
CALL () {
  MATCH (d:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
  RETURN c LIMIT $chunks
}
MATCH (c)<-[:MENTIONED_IN]-(e:KgEntity)
WITH DISTINCT e
RETURN e.id AS id, e.name AS name, e.type AS type
ORDER BY e.evidence_count DESC, name, id
LIMIT $limit
