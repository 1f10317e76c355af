// title:   Relationships between entities
// purpose: What communities and centralities are computed from. Parallel and opposite relationships are folded, and
//          everything is sorted, by who reads it: that takes a fifth of the time. So are ends that are no entities of the
//          graph left out: nothing is read of them here. Long lists, because many short rows take ten times as long, with
//          one relationship at each place of them; 4,096 numbers of nodes divide them.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: part INTEGER, sources LIST<INTEGER> (the server's own numbers of nodes), targets LIST<INTEGER> (likewise),
//          instances LIST<INTEGER> (rows of evidence)
// order:   part; within a part none
// source:  the length study
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b)
WHERE a.graph = $graph
WITH id(a) / 4096 AS part,
     collect(id(a)) AS sources,
     collect(id(b)) AS targets,
     collect(coalesce(r.evidence_count, 1)) AS instances
RETURN part, sources, targets, instances
ORDER BY part
