// title:   Write community reports
// purpose: Sets what a report consists of, and says which answers it rests on; others about the community are let go.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<MAP> (id, report: a map of properties, answers: ids)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS row
MATCH (c:KgCommunity {id: row.id})
WHERE c.graph = $graph
SET c += row.report
WITH c, row
CALL (c, row) {
  MATCH (a:KgAnswer)-[old:ANSWERS]->(c)
  WHERE NOT a.id IN row.answers
  DELETE old
}
CALL (c, row) {
  UNWIND row.answers AS id
  MATCH (a:KgAnswer {id: id})
  MERGE (a)-[:ANSWERS]->(c)
}
