// title:   Entities with what analytics wrote on them
// purpose: What changed is found by comparing; what did not change is not written.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: num INTEGER, id STRING, community INTEGER, pagerank FLOAT, degree INTEGER, betweenness FLOAT,
//          community_degree INTEGER, component INTEGER, core INTEGER, triangles INTEGER, clustering FLOAT,
//          articulation BOOLEAN, bridges LIST<STRING>, community_id STRING
// order:   num
// source:  kg-neo4j
MATCH (e:Entity)
WHERE e.graph = $graph
RETURN e.num AS num,
       e.id AS id,
       e.community AS community,
       e.pagerank AS pagerank,
       e.degree AS degree,
       e.betweenness AS betweenness,
       e.community_degree AS community_degree,
       e.component AS component,
       e.core AS core,
       e.triangles AS triangles,
       e.clustering AS clustering,
       e.articulation AS articulation,
       e.bridges AS bridges,
       head([(e)-[:IN_COMMUNITY]->(c:Community) WHERE c.graph = $graph | c.id]) AS community_id
ORDER BY num
