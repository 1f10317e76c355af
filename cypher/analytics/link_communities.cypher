// title:   Put communities into those of the next coarser level
// purpose: One CHILD_OF a community, which has none.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (id, id of the parent)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS row
MATCH (c:KgCommunity {id: row[0]})
WHERE c.graph = $graph
MATCH (p:KgCommunity {id: row[1]})
WHERE p.graph = $graph
CREATE (c)-[:CHILD_OF]->(p)
