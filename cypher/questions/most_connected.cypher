// title:   Most connected entities of a type
// purpose: Answers "Who is the most connected person?": entities with most relationships in either direction.
// mode:    read
// params:  $graph STRING (graph name, default main); $types LIST<STRING> (types; none: every type);
//          $limit INTEGER (rows, >= 1, default 5);
//          $only_entities LIST<STRING> (those that filters leave, or null: all);
//          $only_facts LIST<STRING> (likewise)
// columns: Name STRING, Type STRING, Connections INTEGER (relationships in either direction), Ids LIST<STRING> (the entity)
// order:   Connections descending, then Name, then ids
// source:  the Wikipedia report
MATCH (n:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE n.graph = $graph AND o.graph = $graph AND ($types = [] OR n.type IN $types)
  AND ($only_entities IS NULL OR n.id IN $only_entities) AND ($only_facts IS NULL OR r.fact_id IN $only_facts)
WITH n, count(r) AS Connections
ORDER BY Connections DESC, n.name, n.id
LIMIT $limit
RETURN n.name AS Name, n.type AS Type, Connections, [n.id] AS Ids
