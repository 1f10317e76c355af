// title:   Entities of a type
// purpose: Answers "Which people are there?": entities, the best attested first.
// mode:    read
// params:  $graph STRING (graph name, default main); $types LIST<STRING> (types; none: every type);
//          $limit INTEGER (rows, >= 1, default 201)
// columns: Name STRING, Type STRING, Role STRING, Evidence INTEGER (rows that mention it), Ids LIST<STRING> (the entity)
// order:   Evidence descending, then Name, then ids
// source:  kg-neo4j
MATCH (n:Entity)
WHERE n.graph = $graph AND ($types = [] OR n.type IN $types)
WITH n, coalesce(n.evidence_count, 0) AS Evidence
ORDER BY Evidence DESC, n.name, n.id
LIMIT $limit
RETURN n.name AS Name, n.type AS Type, n.role AS Role, Evidence, [n.id] AS Ids
