// title:   Entities with what analytics wrote on them
// purpose: What changed is found by comparing; what did not change is not written. Long lists, because many short rows
//          take ten times as long, with one entity at each place of them; 4,096 numbers of nodes divide them.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: part INTEGER, nodes LIST<INTEGER> (the server's own numbers), nums LIST<INTEGER>, ids LIST<STRING>,
//          values LIST<LIST> (empty where nothing was written: number of the community of level 0 or null, pagerank,
//          degree, betweenness, community_degree, component, core, triangles, clustering, articulation, bridges)
// order:   part; within a part none
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.graph = $graph
WITH id(e) / 4096 AS part,
     collect(id(e)) AS nodes,
     collect(e.num) AS nums,
     collect(e.id) AS ids,
     collect(CASE WHEN e.pagerank IS NULL
               THEN []
               ELSE [e.community, e.pagerank, e.degree, e.betweenness, e.community_degree, e.component, e.core,
                     e.triangles, e.clustering, e.articulation, coalesce(e.bridges, [])]
             END) AS values
RETURN part, nodes, nums, ids, values
ORDER BY part
