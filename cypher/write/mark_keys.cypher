// title:   Mark known entities and facts for settling
// purpose: They have new evidence.
// mode:    write
// params:  $entities LIST<STRING> (entity ids); $facts LIST<STRING> (fact ids)
// columns: none
// order:   none
// source:  kg-neo4j
CALL () {
  UNWIND $entities AS id
  MATCH (e:KgEntity {id: id})
  SET e:Unsettled
}
CALL () {
  UNWIND $facts AS id
  MATCH (f:KgFact {id: id})
  SET f:Unsettled
}
