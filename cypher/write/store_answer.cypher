// title:   Store what a model said
// purpose: Stored before it is used, and never overwritten: the same is never paid for twice.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (what it is about: entities, facts, communities, trees);
//          $answer MAP (all properties of the answer)
// columns: none
// order:   none
// source:  kg-neo4j
MERGE (a:KgAnswer:Answer {id: $answer.id})
ON CREATE SET a = $answer
WITH a
UNWIND $ids AS id
MATCH (n:KgEntity|KgFact|KgCommunity|KgTree {id: id})
WHERE n.graph = $graph
MERGE (a)-[:ANSWERS]->(n)
