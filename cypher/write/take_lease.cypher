// title:   Take the right to write to one graph
// purpose: Taken where nobody holds it, where it has run out, or where its holder is known to be dead.
// mode:    write
// params:  $graph STRING (graph name, default main); $token STRING (random, of this run);
//          $owner STRING (host, process and its start time); $milliseconds INTEGER (how long it holds);
//          $dead STRING (token of a holder known to be dead, or empty)
// columns: token STRING, owner STRING
// order:   none
// source:  kg-neo4j
MERGE (l:KgLease:Lease {graph: $graph})
SET l.asked = $token
WITH l, coalesce(l.token IN [$token, $dead], true) OR l.expires < timestamp() AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET l.token = $token, l.owner = $owner, l.expires = timestamp() + $milliseconds
)
REMOVE l.asked
RETURN l.token AS token, l.owner AS owner
