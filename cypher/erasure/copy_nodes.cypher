// title:   Write nodes of another store
// purpose: With their labels and properties, and a new id.
// mode:    write
// params:  $rows LIST<MAP> (id in the other store, labels, properties)
// columns: old INTEGER (id in the other store), new INTEGER (id in this one)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
RETURN row.id AS old, id(n) AS new
