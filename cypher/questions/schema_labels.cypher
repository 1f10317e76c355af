// title:   Labels of a graph and their properties
// purpose: What a model is told, and held to, when it writes a query.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Label STRING, Count INTEGER, Properties LIST<STRING> (names that occur, sorted)
// order:   Count descending, then Label
// source:  kg-neo4j
MATCH (n:KgEntity|KgChunk|KgDocument|KgFact)
WHERE n.graph = $graph
UNWIND labels(n) AS Label
WITH Label, keys(n) AS names, count(*) AS nodes
UNWIND names AS name
WITH Label, names, nodes, name ORDER BY name
WITH Label, names, nodes, collect(name) AS sorted
WITH Label, sum(nodes) AS Count, collect(sorted) AS all
UNWIND all AS some
UNWIND some AS name
WITH DISTINCT Label, Count, name ORDER BY name
RETURN Label, Count, collect(name) AS Properties
ORDER BY Count DESC, Label
