// title:   Write the folded values of facts of one type
// purpose: Sets values on the fact and on the relationship that people browse, and clears the mark.
// mode:    write
// params:  $rows LIST<MAP> (id and values of each fact)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
REMOVE f:Unsettled
SET f += row.values
WITH f, row
MATCH (:Entity {id: f.source_key})-[r:`TYPE_PLACEHOLDER` {fact_id: row.id}]->(:Entity {id: f.target_key})
SET r += row.values
