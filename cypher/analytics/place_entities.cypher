// title:   Put entities into communities of the finest level
// purpose: One IN_COMMUNITY an entity; an old one is replaced.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (num of the entity, id of the community)
// columns: none
// order:   none
// source:  W2
UNWIND $rows AS row
MATCH (e:Entity {num: row[0]})
WHERE e.graph = $graph
MATCH (c:Community {id: row[1]})
WHERE c.graph = $graph
CALL (e) {
  MATCH (e)-[old:IN_COMMUNITY]->()
  DELETE old
}
CREATE (e)-[:IN_COMMUNITY]->(c)
