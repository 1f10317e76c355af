// title:   Create new entities with their evidence
// purpose: The folded values of a key that nothing else supports yet, and one MENTIONED_IN per row.
// mode:    write
// params:  $rows LIST<MAP> (values, type and evidence of each entity)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
CREATE (e:Entity)
SET e = row.values, e:$(row.type)
WITH e, row
UNWIND row.evidence AS piece
MATCH (c:Chunk {id: piece.chunk})
CREATE (e)-[m:MENTIONED_IN]->(c)
SET m = piece.values
