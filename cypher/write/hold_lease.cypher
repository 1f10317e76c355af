// title:   Prove and prolong the right to write
// purpose: Part of every write transaction; no row means that another run has taken over.
// mode:    write
// params:  $graph STRING (graph name, default main); $token STRING (of this run); $milliseconds INTEGER (how long)
// columns: token STRING
// order:   none
// source:  kg-neo4j
MATCH (l:Lease {graph: $graph, token: $token})
SET l.expires = timestamp() + $milliseconds
RETURN l.token AS token
