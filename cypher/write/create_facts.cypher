// title:   Create new facts, each with its relationship and its first evidence
// purpose: The folded values of a fact that nothing else supports yet, the relationship that people browse, and one
//          STATED_IN. Rows are laid out as in create_entities. A dynamic type is as fast as a static one in CREATE,
//          unlike in MERGE or MATCH.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (5 of the fact with its allow-listed type, 3 columns, other columns, then chunk,
//          6 of the evidence, likewise)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (a:KgEntity {id: row[1]})
MATCH (b:KgEntity {id: row[2]})
MATCH (c:KgChunk {id: row[9]})
CREATE (f:KgFact:Fact {id: row[0], graph: $graph, source_key: row[1], target_key: row[2], type: row[3], evidence_count: row[4],
                start_date: row[5], description: row[6], strength: row[7]}),
       (a)-[r:$(row[3]) {fact_id: row[0], evidence_count: row[4], start_date: row[5], description: row[6], strength: row[7]}]->(b),
       (f)-[s:STATED_IN {row: row[10], quote: row[11], quote_start: row[12], quote_end: row[13], quote_method: row[14],
                         original_type: row[15], start_date: row[16], description: row[17], strength: row[18]}]->(c)
FOREACH (others IN row[8] | SET f += others, r += others)
FOREACH (others IN row[19] | SET s += others)
RETURN count(*) AS written
