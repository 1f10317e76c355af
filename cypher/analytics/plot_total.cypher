// title:   Size of a picture's graph
// purpose: How many entities there are, how many of them nothing relates, and what reports call their communities.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Nodes INTEGER, Alone INTEGER (of these), Titles LIST<LIST> (number of a community of level 0, and its title)
// order:   one row
// source:  kg-neo4j
MATCH (n:KgEntity {graph: $graph})
WITH count(n) AS nodes, sum(CASE WHEN EXISTS { (n)--(:KgEntity {graph: $graph}) } THEN 0 ELSE 1 END) AS alone
RETURN nodes AS Nodes, alone AS Alone, COLLECT {
         MATCH (c:KgCommunity {graph: $graph})
         WHERE c.level = 0 AND c.title <> ''
         RETURN [toString(c.number), c.title]
       } AS Titles
