// title:   Delete answers about communities that are gone
// purpose: What they were made from has changed or left the graph, so what was made of it leaves, too.
// mode:    write
// params:  $graph STRING (graph name, default main); $limit INTEGER (answers at a time, >= 1)
// columns: deleted INTEGER
// order:   none
// source:  the length study
MATCH (a:KgAnswer {kind: 'report'})
WHERE a.graph = $graph AND NOT EXISTS { (a)-[:ANSWERS]->() }
WITH a LIMIT $limit
DETACH DELETE a
RETURN count(*) AS deleted
