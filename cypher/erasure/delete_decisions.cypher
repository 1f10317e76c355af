// title:   Delete decisions
// purpose: They are revoked, and the graph shows that; a trace of the names is not to stay.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (decision ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (d:KgDecision {id: id})
WHERE d.graph = $graph
DETACH DELETE d
