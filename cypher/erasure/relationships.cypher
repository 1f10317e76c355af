// title:   All relationships of the database
// purpose: A new store gets them, those of other programs, too.
// mode:    read
// params:  none
// columns: start INTEGER (id of a node in this store), end INTEGER (likewise), type STRING, properties MAP
// order:   none
// source:  kg-neo4j
MATCH (a)-[r]->(b)
RETURN id(a) AS start, id(b) AS end, type(r) AS type, properties(r) AS properties
