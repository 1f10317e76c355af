// title:   Whether answers about descriptions that are gone are there
// purpose: Deleting them changes the graph; one row where there is something to delete.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING (of one of them)
// order:   none
// source:  the graph article
MATCH (a:KgAnswer {kind: 'description'})
WHERE a.graph = $graph AND NOT EXISTS { (a)-[:ANSWERS]->() }
RETURN a.id AS id LIMIT 1
