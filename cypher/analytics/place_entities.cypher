// title:   Put entities into their finest communities
// purpose: One IN_COMMUNITY an entity, which has none. Going to a node by its own number takes half as long as looking for
//          its num, which is compared there; toInteger keeps the planner from looking for it.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (id of the community, the server's own numbers of
//          entities, their nums)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS row
MATCH (c:KgCommunity {id: row[0]})
WHERE c.graph = $graph
UNWIND range(0, size(row[1]) - 1) AS place
MATCH (e:KgEntity)
WHERE id(e) = row[1][place] AND toInteger(e.num) = row[2][place] AND e.graph = $graph
CREATE (e)-[:IN_COMMUNITY]->(c)
