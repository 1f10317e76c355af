// title:   Which sections of a graph have something to show
// purpose: Keeps pages that would be empty out of the menu. The first thing that is found answers.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: communities BOOLEAN, trees BOOLEAN, decisions BOOLEAN, quarantine BOOLEAN, version STRING (of the graph; null: none)
// order:   none
// source:  kg-neo4j
OPTIONAL MATCH (s:KgGraphState {graph: $graph})
RETURN EXISTS { MATCH (c:KgCommunity {graph: $graph}) WHERE c.size >= 2 } AS communities,
       EXISTS { (:KgTree {graph: $graph})-[:TREE_OF]->(:KgDocument) } AS trees,
       EXISTS { (:KgDecision {graph: $graph}) } AS decisions,
       EXISTS {
         MATCH (:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
         WHERE c.rows_rejected > 0 OR c.values_dropped > 0 OR (c.outcome IS NOT NULL AND NOT c.done)
       } AS quarantine,
       s.version AS version
