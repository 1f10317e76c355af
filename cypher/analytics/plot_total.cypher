// title:   Size of a picture's graph
// purpose: How many entities there are, and how many of them nothing relates.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Nodes INTEGER, Alone INTEGER (of these)
// order:   one row
// source:  kg-neo4j
MATCH (n:KgEntity {graph: $graph})
RETURN count(n) AS Nodes, sum(CASE WHEN EXISTS { (n)--(:KgEntity {graph: $graph}) } THEN 0 ELSE 1 END) AS Alone
