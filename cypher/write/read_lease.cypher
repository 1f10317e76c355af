// title:   Who may write to one graph
// purpose: Lets a run see whether the holder is a dead process of its own machine.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: token STRING, owner STRING
// order:   none
// source:  kg-neo4j
MATCH (l:KgLease {graph: $graph})
RETURN l.token AS token, l.owner AS owner
