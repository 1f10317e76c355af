// title:   Store what a model said about a community
// purpose: Stored before it is used, and never overwritten: the same is never paid for twice.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (communities); $answer MAP (all properties of the answer)
// columns: none
// order:   none
// source:  W2
MERGE (a:Answer {id: $answer.id})
ON CREATE SET a = $answer
WITH a
UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.graph = $graph
MERGE (a)-[:ANSWERS]->(c)
