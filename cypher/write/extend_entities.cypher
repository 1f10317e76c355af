// title:   Add evidence to known entities
// purpose: One MENTIONED_IN per row; the entity is marked for settling.
// mode:    write
// params:  $rows LIST<MAP> (id and evidence of each entity)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e:Unsettled
WITH e, row
UNWIND row.evidence AS piece
MATCH (c:Chunk {id: piece.chunk})
CREATE (e)-[m:MENTIONED_IN]->(c)
SET m = piece.values
