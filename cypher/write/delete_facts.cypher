// title:   Delete facts of one type that lost their last evidence
// purpose: The fact and the relationship that people browse go together.
// mode:    write
// params:  $ids LIST<STRING> (fact ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (f:KgFact {id: id})
WHERE NOT EXISTS { (f)-[:STATED_IN]->() }
OPTIONAL MATCH (:KgEntity {id: f.source_key})-[r:`TYPE_PLACEHOLDER` {fact_id: id}]->(:KgEntity {id: f.target_key})
DELETE r
DETACH DELETE f
