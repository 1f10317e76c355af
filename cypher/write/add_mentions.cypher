// title:   Add evidence to entities
// purpose: One MENTIONED_IN a row; rows are laid out as the second half of those of create_entities.
// mode:    write
// params:  $rows LIST<LIST> (entity id, chunk id, 9 of the evidence, 5 columns, other columns)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {id: row[0]})
MATCH (c:KgChunk {id: row[1]})
CREATE (e)-[m:MENTIONED_IN {row: row[2], quote: row[3], quote_start: row[4], quote_end: row[5], quote_method: row[6],
                           original_type: row[7], key: row[8], name: row[9], type: row[10],
                           birth_year: row[11], death_year: row[12], role: row[13], location: row[14], description: row[15]}]->(c)
FOREACH (others IN row[16] | SET m += others)
RETURN count(*) AS written
