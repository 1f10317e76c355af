// title:   Take quotes out of decisions
// purpose: A correction that rests on other documents, too, stays without the words of this one.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (id, content and reason of each decision)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (d:KgDecision {id: row.id})
WHERE d.graph = $graph
SET d.content = row.content, d.reason = row.reason
