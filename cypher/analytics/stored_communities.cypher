// title:   Communities of a graph as they are stored
// purpose: What changed is found by comparing; an id stands for a level and its members.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, level INTEGER, number INTEGER, parent_id STRING, members LIST<INTEGER> (nums of the entities whose
//          finest community it is)
// order:   id
// source:  kg-neo4j
MATCH (c:KgCommunity)
WHERE c.graph = $graph
RETURN c.id AS id,
       c.level AS level,
       c.number AS number,
       head([(c)-[:CHILD_OF]->(p:KgCommunity) WHERE p.graph = $graph | p.id]) AS parent_id,
       [(c)<-[:IN_COMMUNITY]-(e:KgEntity) WHERE e.graph = $graph | e.num] AS members
ORDER BY id
