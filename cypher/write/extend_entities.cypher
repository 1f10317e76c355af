// title:   Add evidence to known entities
// purpose: One MENTIONED_IN per row; the entity is marked for settling.
// mode:    write
// params:  $rows LIST<LIST> (id, evidence)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:Entity {id: row[0]})
SET e:Unsettled
WITH e, row
UNWIND row[1] AS piece
MATCH (c:Chunk {id: piece[0]})
CREATE (e)-[m:MENTIONED_IN {row: piece[1], quote: piece[2], quote_start: piece[3], quote_end: piece[4],
                            quote_method: piece[5], original_type: piece[6],
                            key: piece[8], name: piece[9], type: piece[10]}]->(c)
SET m += piece[7]
