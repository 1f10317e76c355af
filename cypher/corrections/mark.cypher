// title:   Mark facts as wrong
// purpose: Their evidence does not count any more; the mark keeps whether it did. What a person states is not marked.
// mode:    write
// params:  $rows LIST<LIST> (decision, fact)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (d:KgDecision {id: row[0]})
MATCH (f:KgFact {id: row[1]})
MERGE (d)-[:CORRECTS]->(f)
SET f:Unsettled
WITH f
MATCH (f)-[s:STATED_IN]->(:KgChunk)
WHERE s.wrong IS NULL AND s.by_hand IS NULL
SET s.wrong = s.stated IS NULL, s.stated = false
