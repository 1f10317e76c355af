// title:   Entities with what analytics wrote on them
// purpose: What changed is found by comparing; what did not change is not written.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: num INTEGER, community INTEGER, pagerank FLOAT, degree INTEGER, betweenness FLOAT, community_id STRING
// order:   num
// source:  kg-neo4j
MATCH (e:Entity)
WHERE e.graph = $graph
RETURN e.num AS num,
       e.community AS community,
       e.pagerank AS pagerank,
       e.degree AS degree,
       e.betweenness AS betweenness,
       head([(e)-[:IN_COMMUNITY]->(c:Community) WHERE c.graph = $graph | c.id]) AS community_id
ORDER BY num
