// title:   Take communities out of those of the next coarser level
// purpose: Comes before they are put into others, in the same transaction.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<STRING> (community ids)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS id
MATCH (c:KgCommunity {id: id})-[old:CHILD_OF]->()
WHERE c.graph = $graph
DELETE old
