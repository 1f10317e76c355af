// title:   Pairs of related entities
// purpose: Relationships between entities, folded whatever their type and direction; one row for all pairs of an entity,
//          because many short rows take twice as long.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: s INTEGER, partners LIST<LIST> (num of the other, relationships, rows of evidence; s is the smaller num)
// order:   s; partners by num
// source:  W2
MATCH (a:Entity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:Entity)
WHERE a.graph = $graph AND b.graph = $graph
WITH CASE WHEN a.num < b.num THEN a.num ELSE b.num END AS s,
     CASE WHEN a.num < b.num THEN b.num ELSE a.num END AS t,
     count(r) AS relationships,
     sum(coalesce(r.evidence_count, 1)) AS instances
ORDER BY s, t
RETURN s, collect([t, relationships, instances]) AS partners
ORDER BY s
