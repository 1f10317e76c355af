// title:   Add evidence to known facts
// purpose: One STATED_IN per row; the fact is marked for settling.
// mode:    write
// params:  $rows LIST<MAP> (id and evidence of each fact)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
SET f:Unsettled
WITH f, row
UNWIND row.evidence AS piece
MATCH (c:Chunk {id: piece.chunk})
CREATE (f)-[s:STATED_IN]->(c)
SET s = piece.values
