// title:   Write what analytics found on entities
// purpose: Number of the community of level 0 (none for an entity that is in no community), centralities, and how the
//          entity hangs together with the others.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (num, community, pagerank, degree, betweenness, community_degree, component, core, triangles,
//          clustering, articulation, bridges)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {num: row[0]})
WHERE e.graph = $graph
SET e.community = row[1], e.pagerank = row[2], e.degree = row[3], e.betweenness = row[4], e.community_degree = row[5],
    e.component = row[6], e.core = row[7], e.triangles = row[8], e.clustering = row[9], e.articulation = row[10],
    e.bridges = CASE WHEN row[11] <> [] THEN row[11] END
