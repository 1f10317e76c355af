// title:   Most connected nodes
// purpose: Which entities carry the graph.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 5)
// columns: Node STRING, Connections INTEGER (other entities that a relationship leads to, each once)
// order:   Connections descending, then Node, then id, so that equal counts have one order
// source:  the Wikipedia report
MATCH (n:KgEntity)
WHERE n.graph = $graph
WITH n, COUNT { MATCH (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph AND o <> n RETURN DISTINCT o } AS Connections
WHERE Connections > 0
RETURN n.name AS Node, Connections
ORDER BY Connections DESC, Node, n.id
LIMIT $limit
