// title:   Give back the right to write
// purpose: The next run need not wait.
// mode:    write
// params:  $graph STRING (graph name, default main); $token STRING (of this run)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (l:KgLease {graph: $graph, token: $token})
DELETE l
