// title:   Nodes by type
// purpose: What kinds of entities the graph holds, and how many of each.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: NodeType STRING, Count INTEGER, WithoutRelationships INTEGER (of these)
// order:   Count descending, then NodeType
// source:  the Wikipedia report
MATCH (n:KgEntity)
WHERE n.graph = $graph
RETURN n.type AS NodeType, count(n) AS Count,
       sum(CASE WHEN EXISTS { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph } THEN 0 ELSE 1 END) AS WithoutRelationships
ORDER BY Count DESC, NodeType
