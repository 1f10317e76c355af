// title:   Marks of corrections
// purpose: Which facts are marked as wrong, and which of those that have to be are there, or have evidence without a mark.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (decisions); $facts LIST<STRING> (facts to mark)
// columns: marked LIST<LIST> (decision, fact), facts LIST<STRING> (of $facts, those that are there), unmarked LIST<STRING> (likewise)
// order:   none
// source:  kg-neo4j
RETURN COLLECT {
         UNWIND $ids AS id
         MATCH (d:KgDecision {id: id})-[:CORRECTS]->(f:KgFact)
         WHERE d.graph = $graph
         RETURN [d.id, f.id]
       } AS marked,
       COLLECT { UNWIND $facts AS id MATCH (f:KgFact {id: id}) WHERE f.graph = $graph RETURN f.id } AS facts,
       COLLECT {
         UNWIND $facts AS id
         MATCH (f:KgFact {id: id})
         WHERE f.graph = $graph
           AND EXISTS { (f)-[s:STATED_IN]->(:KgChunk) WHERE s.wrong IS NULL AND s.by_hand IS NULL }
         RETURN f.id
       } AS unmarked
