// title:   Write relationships of another store
// purpose: Between nodes that are written.
// mode:    write
// params:  $rows LIST<MAP> (start and end: ids in this store, type, properties)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (a) WHERE id(a) = row.start
MATCH (b) WHERE id(b) = row.end
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN count(*) AS written
