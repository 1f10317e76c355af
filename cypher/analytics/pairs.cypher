// title:   Relationships between entities
// purpose: What communities and centralities are computed from. Parallel and opposite relationships are folded, and
//          everything is sorted, by who reads it: that takes a fifth of the time. Long lists, because many short rows take
//          ten times as long, with one relationship at each place of them; the first 8 of a num's 52 bits divide them.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: part INTEGER, sources LIST<INTEGER> (nums), targets LIST<INTEGER> (nums), instances LIST<INTEGER> (rows of
//          evidence)
// order:   part; within a part none
// source:  the length study
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
WHERE a.graph = $graph AND b.graph = $graph
WITH a.num / 17592186044416 AS part,
     collect(a.num) AS sources,
     collect(b.num) AS targets,
     collect(coalesce(r.evidence_count, 1)) AS instances
RETURN part, sources, targets, instances
ORDER BY part
