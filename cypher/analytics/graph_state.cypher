// title:   What the communities of a graph were computed from
// purpose: Where the fingerprint is that of the graph as it stands, there is nothing to compute.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: fingerprint STRING, communities INTEGER, levels INTEGER,
//          singletons BOOLEAN (communities of one entity are stored)
// order:   none
// source:  kg-neo4j
MATCH (s:KgGraphState {graph: $graph})
WHERE s.fingerprint IS NOT NULL
RETURN s.fingerprint AS fingerprint, s.communities AS communities, s.levels AS levels,
       coalesce(s.singletons, false) AS singletons
