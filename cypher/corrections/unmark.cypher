// title:   Take away marks of wrong facts
// purpose: The evidence of facts that no correction calls wrong counts as it did before.
// mode:    write
// params:  $rows LIST<LIST> (decision, fact); $facts LIST<STRING> (facts that no correction calls wrong)
// columns: none
// order:   none
// source:  kg-neo4j
CALL () {
  UNWIND $rows AS row
  MATCH (:KgDecision {id: row[0]})-[old:CORRECTS]->(f:KgFact {id: row[1]})
  DELETE old
}
CALL () {
  UNWIND $facts AS id
  MATCH (f:KgFact {id: id})
  SET f:Unsettled
  WITH f
  MATCH (f)-[s:STATED_IN]->(:KgChunk)
  WHERE s.wrong IS NOT NULL
  SET s.stated = CASE WHEN s.wrong THEN null ELSE s.stated END
  REMOVE s.wrong
}
