// title:   Relationships for an archive or an export
// purpose: The relationships that a page of nodes of one label begins. A node without any has one row, so that the next
//          page is known.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last node of the page before);
//          $limit INTEGER (nodes a page, >= 1)
// columns: start STRING, kind STRING (of an answer), type STRING (null: none), end STRING (null: not a node of kg-neo4j),
//          graph STRING (of the end), labels LIST<STRING> (of the end), properties MAP
// order:   start, then type, then end, then row, then fact
// source:  kg-neo4j
MATCH (n:`TYPE_PLACEHOLDER`)
WHERE n.id > $after AND n.graph = $graph
WITH n ORDER BY n.id LIMIT $limit
OPTIONAL MATCH (n)-[r]->(m)
WITH n, r, m ORDER BY n.id, type(r), m.id, r.row, r.fact_id
RETURN n.id AS start, n.kind AS kind, type(r) AS type, m.id AS end, m.graph AS graph, labels(m) AS labels,
       properties(r) AS properties
