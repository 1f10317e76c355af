// title:   Whether the projection of a graph for searching stands
// purpose: Projections are named by the version of the graph that they were made of.
// mode:    read
// params:  $graph STRING (graph name, default main); $prefix STRING (how names of projections of this graph begin)
// columns: version STRING (of the graph, or null), stands BOOLEAN
// order:   none
// source:  kg-neo4j
OPTIONAL MATCH (s:KgGraphState {graph: $graph})
WITH s.version AS version
CALL gds.graph.exists($prefix + coalesce(version, '')) YIELD exists
RETURN version, exists AS stands
