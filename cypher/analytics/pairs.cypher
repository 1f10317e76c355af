// title:   Pairs of related entities
// purpose: Relationships between entities, folded whatever their type and direction.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: s INTEGER, t INTEGER, relationships INTEGER, instances INTEGER (rows of evidence)
// order:   s, then t
// source:  W2
MATCH (a:Entity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:Entity)
WHERE a.graph = $graph AND b.graph = $graph
RETURN CASE WHEN a.num < b.num THEN a.num ELSE b.num END AS s,
       CASE WHEN a.num < b.num THEN b.num ELSE a.num END AS t,
       count(r) AS relationships,
       sum(coalesce(r.evidence_count, 1)) AS instances
ORDER BY s, t
