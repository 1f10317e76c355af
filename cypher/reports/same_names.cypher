// title:   Names that several entities share
// purpose: Candidates for resolution: one name or alias, more than one entity.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 50)
// columns: Name STRING (in lower case), Entities INTEGER, NodeTypes LIST<STRING>, Nodes LIST<STRING>
// order:   Entities descending, then Name
// source:  the graph article
MATCH (n:KgEntity)
WHERE n.graph = $graph
UNWIND [n.name] + coalesce(n.aliases, []) AS known
WITH DISTINCT normalize(toLower(known)) AS Name, n
ORDER BY n.type, n.name, n.id
WITH Name, count(n) AS Entities, collect(n.type) AS NodeTypes, collect(n.name) AS Nodes
WHERE Entities > 1
RETURN Name, Entities, NodeTypes, Nodes
ORDER BY Entities DESC, Name
LIMIT $limit
