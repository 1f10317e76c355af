// title:   Forget what the communities of a graph were computed from
// purpose: A graph without entities has none. Its version and its format stay.
// mode:    write
// params:  $graph STRING (graph name, default main)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (s:KgGraphState {graph: $graph})
REMOVE s.fingerprint, s.communities, s.levels, s.singletons
