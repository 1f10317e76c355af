// title:   Entities with what analytics wrote on them
// purpose: What changed is found by comparing; what did not change is not written. Long lists, because many short rows
//          take ten times as long; the first 8 of a num's 52 bits divide them.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: part INTEGER, entities LIST<LIST> (num, id, id of the finest community or null, and a list that is null where
//          nothing was written: number of the community of level 0 or null, pagerank, degree, betweenness,
//          community_degree, component, core, triangles, clustering, articulation, bridges)
// order:   part; within a part none
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.graph = $graph
WITH e.num / 17592186044416 AS part,
     collect([e.num, e.id, head([(e)-[:IN_COMMUNITY]->(c:KgCommunity) WHERE c.graph = $graph | c.id]),
              CASE WHEN e.pagerank IS NOT NULL
                THEN [e.community, e.pagerank, e.degree, e.betweenness, e.community_degree, e.component, e.core,
                      e.triangles, e.clustering, e.articulation, coalesce(e.bridges, [])]
              END]) AS entities
RETURN part, entities
ORDER BY part
