// title:   Types of entities
// purpose: Which types there are, the most frequent first: faster than nodes-by-type, which counts relationships, too.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: NodeType STRING, Count INTEGER
// order:   Count descending, then NodeType
// source:  kg-neo4j
MATCH (n:KgEntity)
WHERE n.graph = $graph
RETURN n.type AS NodeType, count(n) AS Count
ORDER BY Count DESC, NodeType
