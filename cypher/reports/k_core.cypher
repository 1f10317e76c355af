// title:   Cores
// purpose: How dense the graph is at its centre: the k-core is what is left when everybody in it has k neighbours in it.
//          Core 0 counts those apart who are related to nobody else. Filled in by analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $members INTEGER (nodes to name, >= 0, default 10)
// columns: Core INTEGER (k), Nodes INTEGER (in this core and in no denser one), AtLeast INTEGER (in this core, denser ones included),
//          Members LIST<STRING> (those of highest PageRank)
// order:   Core descending
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.core IS NOT NULL
WITH n ORDER BY n.pagerank DESC, n.name, n.id
WITH n.core AS Core, count(n) AS Nodes, collect(n.name)[..$members] AS Members
ORDER BY Core DESC
WITH collect([Core, Nodes, Members]) AS cores
UNWIND cores AS core
RETURN core[0] AS Core, core[1] AS Nodes,
       reduce(total = 0, each IN cores | CASE WHEN each[0] >= core[0] THEN total + each[1] ELSE total END) AS AtLeast,
       core[2] AS Members
ORDER BY Core DESC
