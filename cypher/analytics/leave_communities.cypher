// title:   Take entities out of their communities
// purpose: Comes before they are put into others, in the same transaction.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<INTEGER> (nums of entities)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS num
MATCH (e:KgEntity {num: num})-[old:IN_COMMUNITY]->()
WHERE e.graph = $graph
DELETE old
