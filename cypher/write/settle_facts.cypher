// title:   Write the folded values of facts of one type
// purpose: Sets values on the fact and on the relationship that people browse, and clears the mark. A fact that is only
//          likely has no relationship.
// mode:    write
// params:  $rows LIST<MAP> (id and values of each fact)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (f:KgFact {id: row.id})
REMOVE f:Unsettled
SET f += row.values
WITH f, row
MATCH (a:KgEntity {id: f.source_key})
MATCH (b:KgEntity {id: f.target_key})
OPTIONAL MATCH (a)-[old:`TYPE_PLACEHOLDER` {fact_id: row.id}]->(b)
FOREACH (drawn IN CASE WHEN row.values.stated = false THEN [old] ELSE [] END | DELETE drawn)
FOREACH (one IN CASE WHEN row.values.stated IS NULL THEN [1] ELSE [] END |
  MERGE (a)-[r:`TYPE_PLACEHOLDER` {fact_id: row.id}]->(b)
  SET r += row.values)
