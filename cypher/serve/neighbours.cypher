// title:   Neighbours of an entity
// purpose: The entities that relationships lead to, and how.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (of the entity); $limit INTEGER (neighbours, >= 1, default 300);
//          $hub INTEGER (relationships to look at, >= 1, default 2000)
// columns: id STRING, num INTEGER, name STRING, type STRING, evidence INTEGER (rows that state a relationship with it),
//          relations LIST<LIST> (type, and true where it leads to the neighbour; at most 5)
// order:   evidence descending, then name, id
// source:  kg-neo4j
MATCH (e:KgEntity {id: $id})
WHERE e.graph = $graph
CALL (e) {
  MATCH (e)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(other:KgEntity)
  WHERE other <> e AND other.graph = $graph
  RETURN r, other LIMIT $hub
}
WITH e, other, sum(coalesce(r.evidence_count, 1)) AS evidence, collect(DISTINCT [type(r), startNode(r) = e]) AS relations
RETURN other.id AS id, other.num AS num, other.name AS name, other.type AS type, evidence, relations[..5] AS relations
ORDER BY evidence DESC, name, id
LIMIT $limit
