// title:   Delete answers about descriptions that are gone
// purpose: The texts that they were made from have left the graph, so what was made of them leaves, too.
// mode:    write
// params:  $graph STRING (graph name, default main); $limit INTEGER (answers at a time, >= 1)
// columns: deleted INTEGER
// order:   none
// source:  the graph article
MATCH (a:KgAnswer {kind: 'description'})
WHERE a.graph = $graph AND NOT EXISTS { (a)-[:ANSWERS]->() }
WITH a LIMIT $limit
DETACH DELETE a
RETURN count(*) AS deleted
