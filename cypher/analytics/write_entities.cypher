// title:   Write what analytics found on entities
// purpose: Number of the community of level 0, PageRank, degree and betweenness.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (num, community, pagerank, degree, betweenness)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:Entity {num: row[0]})
WHERE e.graph = $graph
SET e.community = row[1], e.pagerank = row[2], e.degree = row[3], e.betweenness = row[4]
