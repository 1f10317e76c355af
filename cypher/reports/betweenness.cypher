// title:   Nodes by betweenness
// purpose: Which entities hold parts of the graph together: most shortest paths lead through them. Filled in by analytics;
//          in graphs of more than 2,000 entities the numbers are estimates, good for the order.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 10)
// columns: Node STRING, NodeType STRING, Betweenness FLOAT (shortest paths through the node), Connections INTEGER (relationships in either direction)
// order:   Betweenness descending, then Node, then id
// source:  kg-neo4j
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.betweenness > 0
RETURN n.name AS Node, n.type AS NodeType, n.betweenness AS Betweenness,
       COUNT { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph } AS Connections
ORDER BY Betweenness DESC, Node, n.id
LIMIT $limit
