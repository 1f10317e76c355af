// title:   Create new facts with their relationship and evidence
// purpose: The folded values of a fact that nothing else supports yet, the relationship that people browse,
//          and one STATED_IN per row. A dynamic type is as fast as a static one in CREATE, unlike in MERGE or MATCH.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (id, source_id, target_id, evidence_count, values, evidence, allow-listed type)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (a:Entity {id: row[1]})
MATCH (b:Entity {id: row[2]})
CREATE (f:Fact {id: row[0], graph: $graph, type: row[6], source_id: row[1], target_id: row[2], evidence_count: row[3]})
SET f += row[4]
CREATE (a)-[r:$(row[6]) {fact_id: row[0], evidence_count: row[3]}]->(b)
SET r += row[4]
WITH f, row
UNWIND row[5] AS piece
MATCH (c:Chunk {id: piece[0]})
CREATE (f)-[s:STATED_IN {row: piece[1], quote: piece[2], quote_start: piece[3], quote_end: piece[4],
                         quote_method: piece[5], original_type: piece[6]}]->(c)
SET s += piece[7]
