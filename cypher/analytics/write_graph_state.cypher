// title:   Say what the communities of a graph were computed from
// purpose: The last write of the transaction: from here on the new set is the one.
// mode:    write
// params:  $graph STRING (graph name, default main); $fingerprint STRING (of entities and pairs);
//          $communities INTEGER (with two or more members, at level 0); $levels INTEGER (levels of communities);
//          $singletons BOOLEAN (communities of one entity are stored)
// columns: none
// order:   none
// source:  kg-neo4j
MERGE (s:KgGraphState:GraphState {graph: $graph})
SET s.fingerprint = $fingerprint, s.communities = $communities, s.levels = $levels, s.singletons = $singletons
