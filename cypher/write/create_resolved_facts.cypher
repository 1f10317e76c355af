// title:   Create new facts without a relationship, each with its first evidence
// purpose: Those that resolution touches, whose relationship settling draws and other facts may share, and those that are
//          only likely. Rows begin as those of create_facts.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (a row of create_facts, entity of the source or null, entity of the target or null, relationship)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (c:KgChunk {id: row[9]})
CREATE (f:KgFact:Fact:Unsettled {id: row[0], graph: $graph, source_key: row[1], target_key: row[2], type: row[3], evidence_count: row[4],
                          start_date: row[5], description: row[6], strength: row[7],
                          source_id: row[20], target_id: row[21], relationship_id: row[22]}),
       (f)-[s:STATED_IN {row: row[10], quote: row[11], quote_start: row[12], quote_end: row[13], quote_method: row[14],
                         original_type: row[15], start_date: row[16], description: row[17], strength: row[18]}]->(c)
FOREACH (others IN row[8] | SET f += others)
FOREACH (others IN row[19] | SET s += others)
RETURN count(*) AS written
