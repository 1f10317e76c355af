// title:   Nodes of one label for the export
// purpose: All nodes of a graph, in one order.
// mode:    read
// params:  $graph STRING (graph name, default main); $label STRING (structural label)
// columns: labels LIST<STRING>, properties MAP
// order:   id of the node
// source:  kg-neo4j
MATCH (n:Answer|Chunk|Community|Decision|Detail|Document|Entity|Fact|Summary)
WHERE n.graph = $graph AND $label IN labels(n)
WITH n ORDER BY n.id
RETURN labels(n) AS labels, n {.*, embedding: null} AS properties
