// title:   Types that occur together
// purpose: The schema that the texts turned out to have: which types are related, by what, how often.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 50)
// columns: SourceType STRING, RelationshipType STRING, TargetType STRING, Count INTEGER
// order:   Count descending, then SourceType, RelationshipType, TargetType
// source:  the Wikipedia report
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
WHERE a.graph = $graph AND b.graph = $graph
RETURN a.type AS SourceType, type(r) AS RelationshipType, b.type AS TargetType, count(r) AS Count
ORDER BY Count DESC, SourceType, RelationshipType, TargetType
LIMIT $limit
