// title:   Add evidence to known facts
// purpose: One STATED_IN per row; the fact is marked for settling.
// mode:    write
// params:  $rows LIST<LIST> (id, evidence)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (f:Fact {id: row[0]})
SET f:Unsettled
WITH f, row
UNWIND row[1] AS piece
MATCH (c:Chunk {id: piece[0]})
CREATE (f)-[s:STATED_IN {row: piece[1], quote: piece[2], quote_start: piece[3], quote_end: piece[4],
                         quote_method: piece[5], original_type: piece[6]}]->(c)
SET s += piece[7]
