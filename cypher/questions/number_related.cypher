// title:   How many entities are related to one
// purpose: Answers "How many people is X connected with?": different entities beside X, by type, with the best attested of them.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $types LIST<STRING> (types; none: every type)
// columns: Type STRING, Count INTEGER, Examples LIST<STRING> (names, at most five), Ids LIST<STRING> (facts that relate the examples)
// order:   Count descending, then Type
// source:  kg-neo4j
MATCH (n:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE n.id IN $x AND n.graph = $graph AND o.graph = $graph AND NOT o.id IN $x AND ($types = [] OR o.type IN $types)
  AND true /* left: relationship r */
WITH o, r ORDER BY coalesce(r.evidence_count, 1) DESC, r.fact_id
WITH o, sum(coalesce(r.evidence_count, 1)) AS evidence, head(collect(r.fact_id)) AS fact
ORDER BY evidence DESC, o.name, o.id
WITH o.type AS Type, count(o) AS Count, collect([o.name, fact])[..5] AS best
RETURN Type, Count, [each IN best | each[0]] AS Examples, [each IN best | each[1]] AS Ids
ORDER BY Count DESC, Type
