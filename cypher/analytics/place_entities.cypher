// title:   Put entities into their finest communities
// purpose: One IN_COMMUNITY an entity, which has none.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (id of the community, nums of entities)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS row
MATCH (c:KgCommunity {id: row[0]})
WHERE c.graph = $graph
UNWIND row[1] AS num
MATCH (e:KgEntity {num: num})
WHERE e.graph = $graph
CREATE (e)-[:IN_COMMUNITY]->(c)
