// title:   The schema of the graph
// purpose: Which types are related, by what, how often, with an example. `kg report schema` shows families of types instead.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows of types, >= 1, default 1000)
// columns: Source STRING, Relationship STRING, Target STRING, Count INTEGER, Example STRING
// order:   Count descending, then Source, Relationship, Target
// source:  the Wikipedia report
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
WHERE a.graph = $graph AND b.graph = $graph
WITH a, r, b
ORDER BY r.evidence_count DESC, a.name, b.name, a.id, b.id
WITH a.type AS Source, type(r) AS Relationship, b.type AS Target, count(*) AS Count, head(collect([a.name, b.name])) AS ends
RETURN Source, Relationship, Target, Count, ends[0] + ' -> ' + ends[1] AS Example
ORDER BY Count DESC, Source, Relationship, Target
LIMIT $limit
