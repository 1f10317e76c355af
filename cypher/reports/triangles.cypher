// title:   Triangles and local clustering
// purpose: Whose neighbours are related to each other. Parallel and opposite relationships of a pair count as one. Filled in by
//          analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 20)
// columns: Node STRING, NodeType STRING, Triangles INTEGER, Clustering FLOAT (share of the pairs of its neighbours that are related, 0 to 1),
//          Connections INTEGER (relationships in either direction)
// order:   Triangles descending, then Clustering descending, then Node, then id
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.triangles > 0
RETURN n.name AS Node, n.type AS NodeType, n.triangles AS Triangles, n.clustering AS Clustering, n.degree AS Connections
ORDER BY Triangles DESC, Clustering DESC, Node, n.id
LIMIT $limit
