// title:   Create new facts of one type with their relationship and evidence
// purpose: The folded values of a fact that nothing else supports yet, the relationship that people browse,
//          and one STATED_IN per row.
// mode:    write
// params:  $rows LIST<MAP> (fact, relationship and evidence of each fact)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (a:Entity {id: row.fact.source_id})
MATCH (b:Entity {id: row.fact.target_id})
CREATE (f:Fact)
SET f = row.fact
CREATE (a)-[r:`TYPE_PLACEHOLDER`]->(b)
SET r = row.relationship
WITH f, row
UNWIND row.evidence AS piece
MATCH (c:Chunk {id: piece.chunk})
CREATE (f)-[s:STATED_IN]->(c)
SET s = piece.values
