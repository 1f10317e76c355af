// title:   One narrative tree
// purpose: What is stored of it besides its nodes: its settings, and the fit that puts leaves into clusters.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (tree id)
// columns: tree MAP, leaves LIST<STRING> (ids)
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $id})
WHERE t.graph = $graph
RETURN properties(t) AS tree, COLLECT { MATCH (t)-[:HAS_LEAF]->(n) RETURN n.id ORDER BY n.id } AS leaves
