// title:   Articulation points
// purpose: Entities without which a part of the graph would come apart. Filled in by analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 20)
// columns: Node STRING, NodeType STRING, Connections INTEGER (relationships in either direction),
//          Bridges INTEGER (neighbours that nothing else connects), Betweenness FLOAT (shortest paths through the node)
// order:   Betweenness descending, then Node, then id
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.articulation
RETURN n.name AS Node, n.type AS NodeType, n.degree AS Connections, size(coalesce(n.bridges, [])) AS Bridges,
       n.betweenness AS Betweenness
ORDER BY Betweenness DESC, Node, n.id
LIMIT $limit
