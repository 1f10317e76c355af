// title:   Forget what the communities of a graph were computed from
// purpose: An empty graph has none.
// mode:    write
// params:  $graph STRING (graph name, default main)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (s:KgGraphState {graph: $graph})
DELETE s
