// title:   Store vectors of the texts of a tree
// purpose: Stored before their nodes are published, and never overwritten: the same is never paid for twice.
// mode:    write
// params:  $graph STRING (graph name, default main); $tree STRING (tree id); $rows LIST<MAP> (all properties of each vector)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $tree})
WHERE t.graph = $graph
UNWIND $rows AS row
MERGE (a:KgAnswer:Answer {id: row.id})
ON CREATE SET a = row
MERGE (a)-[:ANSWERS]->(t)
