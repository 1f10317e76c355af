// title:   Nodes by PageRank
// purpose: Which entities are central, seen from the whole graph: related to many that are central themselves. Entities
//          without a relationship are left out. Filled in by analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 20)
// columns: Node STRING, NodeType STRING, PageRank FLOAT (the mean is about 1), Connections INTEGER (relationships in either direction)
// order:   PageRank descending, then Node, then id
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.pagerank IS NOT NULL AND n.degree > 0
RETURN n.name AS Node, n.type AS NodeType, n.pagerank AS PageRank, n.degree AS Connections
ORDER BY PageRank DESC, Node, n.id
LIMIT $limit
