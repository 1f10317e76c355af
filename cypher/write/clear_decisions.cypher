// title:   Clear the marks of decisions
// purpose: The graph shows them now.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (decision ids)
// columns: none
// order:   none
// source:  the graph article
UNWIND $ids AS id
MATCH (d:KgDecision {id: id})
WHERE d.graph = $graph
REMOVE d:Unsettled
