// title:   Put entities into their finest communities
// purpose: One IN_COMMUNITY an entity, which has none. Going to a node by its own number takes half as long as looking for
//          its num, which is compared there; toInteger keeps the planner from looking for it.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (id of the community, and of each entity the server's own number and num)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS row
MATCH (c:KgCommunity {id: row[0]})
WHERE c.graph = $graph
UNWIND row[1] AS place
MATCH (e:KgEntity)
WHERE id(e) = place[0] AND toInteger(e.num) = place[1] AND e.graph = $graph
CREATE (e)-[:IN_COMMUNITY]->(c)
