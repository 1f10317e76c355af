// title:   Nodes of a picture
// purpose: The most connected entities of a graph, those without a relationship last.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 150)
// columns: Num INTEGER, Name STRING, Type STRING, Community STRING (empty where none was found),
//          Connections INTEGER (relationships in either direction)
// order:   Connections descending, then Name, Type, Num
// source:  kg-neo4j
MATCH (n:KgEntity {graph: $graph})
WITH n, COUNT { (n)--(:KgEntity {graph: $graph}) } AS connections
ORDER BY connections DESC, n.name, n.type, n.num
LIMIT $limit
RETURN n.num AS Num, n.name AS Name, n.type AS Type, coalesce(toString(n.community), '') AS Community,
       connections AS Connections
ORDER BY Connections DESC, Name, Type, Num
