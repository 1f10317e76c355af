// title:   Prove and prolong the right to write
// purpose: Part of every write transaction; no row means that another run has taken over. What rests on the graph as a
//          whole, such as a projection that is kept, knows by the version whether it still holds. The format says which
//          versions of kg-neo4j can read the graph.
// mode:    write
// params:  $graph STRING (graph name, default main); $token STRING (of this run); $milliseconds INTEGER (how long);
//          $writes BOOLEAN (the transaction changes the graph); $format INTEGER (of the graphs that this version writes)
// columns: token STRING
// order:   none
// source:  kg-neo4j
MATCH (l:KgLease {graph: $graph, token: $token})
SET l.expires = timestamp() + $milliseconds
FOREACH (_ IN CASE WHEN $writes THEN [1] ELSE [] END |
  MERGE (s:KgGraphState:GraphState {graph: $graph})
  SET s.version = randomUUID(), s.format = $format
)
RETURN l.token AS token
