// title:   Store what a model said about the descriptions of entities
// purpose: Stored before it is used, and never overwritten: the same is never paid for twice.
// mode:    write
// params:  $graph STRING (graph name, default main); $id STRING (entity); $answer MAP (all properties of the answer)
// columns: none
// order:   none
// source:  W3
MATCH (n:Entity {id: $id})
WHERE n.graph = $graph
MERGE (a:Answer {id: $answer.id})
ON CREATE SET a = $answer
MERGE (a)-[:ANSWERS]->(n)
