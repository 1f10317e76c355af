// title:   Size of a graph
// purpose: Entities and the relationships between them; evidence and other structure left out.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: nodes INTEGER, relationships INTEGER
// order:   none
// source:  kg-neo4j
RETURN COUNT { MATCH (:Entity {graph: $graph}) } AS nodes,
       COUNT { MATCH (:Fact {graph: $graph}) } AS relationships
