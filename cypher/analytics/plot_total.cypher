// title:   Size of a picture's graph
// purpose: How many entities there are to draw.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Nodes INTEGER
// order:   one row
// source:  kg-neo4j
MATCH (n:KgEntity {graph: $graph})
RETURN count(n) AS Nodes
