// title:   Take links to nodes of another graph away
// purpose: Entities and nodes stay as they are.
// mode:    write
// params:  $graph STRING (graph name, default main); $links LIST<STRING> (element ids)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (:KgEntity)-[r:SAME_AS]->()
WHERE elementId(r) IN $links AND r.graph = $graph
DELETE r
