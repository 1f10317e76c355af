// title:   All nodes of the database
// purpose: A new store gets them, those of other programs, too.
// mode:    read
// params:  none
// columns: id INTEGER (in this store), labels LIST<STRING>, properties MAP
// order:   none
// source:  kg-neo4j
MATCH (n)
RETURN id(n) AS id, labels(n) AS labels, properties(n) AS properties
