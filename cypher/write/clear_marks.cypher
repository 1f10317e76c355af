// title:   Clear marks where nothing changed
// purpose: The fold gave what is stored.
// mode:    write
// params:  $entities LIST<STRING> (entity ids); $facts LIST<STRING> (fact ids)
// columns: none
// order:   none
// source:  kg-neo4j
CALL () {
  UNWIND $entities AS id
  MATCH (e:KgEntity {id: id})
  REMOVE e:Unsettled
}
CALL () {
  UNWIND $facts AS id
  MATCH (f:KgFact {id: id})
  REMOVE f:Unsettled
}
