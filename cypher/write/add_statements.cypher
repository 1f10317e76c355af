// title:   Add evidence to facts
// purpose: One STATED_IN a row; rows are laid out as the second half of those of create_facts.
// mode:    write
// params:  $rows LIST<LIST> (fact id, chunk id, 6 of the evidence, 3 columns, other columns)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (f:KgFact {id: row[0]})
MATCH (c:KgChunk {id: row[1]})
CREATE (f)-[s:STATED_IN {row: row[2], quote: row[3], quote_start: row[4], quote_end: row[5], quote_method: row[6],
                         original_type: row[7], start_date: row[8], description: row[9], strength: row[10]}]->(c)
FOREACH (others IN row[11] | SET s += others)
RETURN count(*) AS written
