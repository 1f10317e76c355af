// title:   Create new entities with their evidence
// purpose: The folded values of a key that nothing else supports yet, and one MENTIONED_IN per row;
//          rows are lists, because maps cost the server half as much again.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (id, num, type, values, evidence)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
CREATE (e:Entity {id: row[0], num: row[1], graph: $graph, type: row[2]})
SET e += row[3], e:$(row[2])
WITH e, row
UNWIND row[4] AS piece
MATCH (c:Chunk {id: piece[0]})
CREATE (e)-[m:MENTIONED_IN {row: piece[1], quote: piece[2], quote_start: piece[3], quote_end: piece[4],
                            quote_method: piece[5], original_type: piece[6],
                            key: piece[8], name: piece[9], type: piece[10]}]->(c)
SET m += piece[7]
