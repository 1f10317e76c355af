// title:   Nodes of a picture
// purpose: The most connected entities of a graph.
// mode:    read
// params:  $graph STRING (graph name, default main); $least INTEGER (connections of an entity, >= 0, default 1);
//          $limit INTEGER (rows, >= 1, default 150)
// columns: Num INTEGER, Name STRING, Type STRING, Community STRING (empty where none was found),
//          Connections INTEGER (relationships in either direction)
// order:   Connections descending, then Name, Type, Num
// source:  kg-neo4j
MATCH (n:KgEntity {graph: $graph})
WITH n, COUNT { (n)--(:KgEntity {graph: $graph}) } AS connections
WHERE connections >= $least
ORDER BY connections DESC, n.name, n.type, n.num
LIMIT $limit
RETURN n.num AS Num, n.name AS Name, n.type AS Type, coalesce(toString(n.community), '') AS Community,
       connections AS Connections
ORDER BY Connections DESC, Name, Type, Num
