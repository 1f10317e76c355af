// title:   Draw relationships of one type
// purpose: Replaces what is drawn for the facts of each group; no values: nothing is drawn any more.
// mode:    write
// params:  $rows LIST<MAP> (source and target entity, facts, and values: a list of one map or none)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (a:KgEntity {id: row.source})
MATCH (b:KgEntity {id: row.target})
CALL (a, b, row) {
  MATCH (a)-[old:`TYPE_PLACEHOLDER`]->(b)
  WHERE old.fact_id IN row.facts
  DELETE old
}
FOREACH (values IN row.values | CREATE (a)-[r:`TYPE_PLACEHOLDER`]->(b) SET r = values)
