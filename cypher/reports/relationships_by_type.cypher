// title:   Relationships by type
// purpose: What kinds of statements the graph holds, and how many of each.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: RelationshipType STRING, Count INTEGER
// order:   Count descending, then RelationshipType
// source:  the Wikipedia report
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
WHERE a.graph = $graph AND b.graph = $graph
RETURN type(r) AS RelationshipType, count(r) AS Count
ORDER BY Count DESC, RelationshipType
