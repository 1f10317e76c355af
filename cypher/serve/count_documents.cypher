// title:   How many documents a graph has
// purpose: Says with an answer what was searched.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: documents INTEGER
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument {graph: $graph})
RETURN count(d) AS documents
