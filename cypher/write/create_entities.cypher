// title:   Create new entities, each with its first evidence
// purpose: The folded values of a key that nothing else supports yet, and one MENTIONED_IN. Rows are lists, and the
//          columns of the built-in schemas stand here by name, because SET from a map costs the server more;
//          columns of other schemas come as a list of maps.
// mode:    write
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (6 of the entity with its allow-listed types, 5 columns, other columns, then chunk, 9 of the evidence, likewise)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (c:KgChunk {id: row[12]})
CREATE (e:KgEntity:Entity:$(row[2]) {id: row[0], graph: $graph, num: row[1], type: row[2][0], name: row[3], aliases: row[4],
                            evidence_count: row[5], birth_year: row[6], death_year: row[7], role: row[8],
                            location: row[9], description: row[10]}),
       (e)-[m:MENTIONED_IN {row: row[13], quote: row[14], quote_start: row[15], quote_end: row[16],
                            quote_method: row[17], original_type: row[18], key: row[19], name: row[20],
                            type: row[21], birth_year: row[22], death_year: row[23], role: row[24],
                            location: row[25], description: row[26]}]->(c)
FOREACH (others IN row[11] | SET e += others)
FOREACH (others IN row[27] | SET m += others)
RETURN count(*) AS written
