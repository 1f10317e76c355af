// title:   Most connected entities of a type
// purpose: Answers "Who is the most connected person?": entities with most relationships in either direction.
// mode:    read
// params:  $graph STRING (graph name, default main); $types LIST<STRING> (types; none: every type);
//          $limit INTEGER (rows, >= 1, default 5)
// columns: Name STRING, Type STRING, Connections INTEGER (relationships in either direction), Ids LIST<STRING> (the entity)
// order:   Connections descending, then Name, then ids
// source:  the Wikipedia report
MATCH (n:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE n.graph = $graph AND o.graph = $graph AND ($types = [] OR n.type IN $types)
  AND true /* left: entity n */ AND true /* left: relationship r */
WITH n, count(r) AS Connections
ORDER BY Connections DESC, n.name, n.id
LIMIT $limit
RETURN n.name AS Name, n.type AS Type, Connections, [n.id] AS Ids
