// title:   How many entities there are
// purpose: Answers "How many people are there?": entities by type, with the best attested of them.
// mode:    read
// params:  $graph STRING (graph name, default main); $types LIST<STRING> (types; none: every type)
// columns: Type STRING, Count INTEGER, Examples LIST<STRING> (names, at most five), Ids LIST<STRING> (of the examples)
// order:   Count descending, then Type
// source:  kg-neo4j
MATCH (n:KgEntity)
WHERE n.graph = $graph AND ($types = [] OR n.type IN $types) AND true /* left: entity n */
WITH n ORDER BY coalesce(n.evidence_count, 0) DESC, n.name, n.id
WITH n.type AS Type, count(n) AS Count, collect(n)[..5] AS best
RETURN Type, Count, [n IN best | n.name] AS Examples, [n IN best | n.id] AS Ids
ORDER BY Count DESC, Type
