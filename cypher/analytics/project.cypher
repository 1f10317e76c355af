// title:   Project one graph for GDS
// purpose: Entities by their number, pairs folded and weighted by the share of the heaviest pair, in one order whatever the
//          order of loading; then the entities without a pair. Relationships of an entity to itself are left out.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (name of the projection);
//          $heaviest INTEGER (largest number of relationship instances of a pair, >= 1)
// columns: projection MAP
// order:   none; the rows that are projected are ordered by source, then target
// source:  W2
CALL () {
  MATCH (a:Entity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:Entity)
  WHERE a.graph = $graph AND b.graph = $graph AND a.num <> b.num
  WITH CASE WHEN a.num < b.num THEN a.num ELSE b.num END AS s,
       CASE WHEN a.num < b.num THEN b.num ELSE a.num END AS t,
       sum(coalesce(r.evidence_count, 1)) AS instances
  ORDER BY s, t
  RETURN s, t, toFloat(instances) / $heaviest AS weight
  UNION ALL
  MATCH (e:Entity)
  WHERE e.graph = $graph
    AND NOT EXISTS { (e)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:Entity) WHERE o.graph = $graph AND o.num <> e.num }
  WITH e ORDER BY e.num
  RETURN e.num AS s, null AS t, null AS weight
}
RETURN gds.graph.project($name, s, t, {relationshipProperties: {weight: weight}},
                         {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projection
