// title:   Facts that are drawn as one relationship
// purpose: What fold needs for a relationship: all evidence of its facts; and what is drawn now.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (relationships);
//          $stored LIST<STRING> (property names of the relationship); $columns LIST<STRING> (property names of the evidence)
// columns: type STRING, source STRING, target STRING, facts LIST<STRING>, loops LIST<STRING> (facts about one key),
//          evidence LIST<LIST>, drawn LIST<LIST>
// order:   none
// source:  the graph article
UNWIND $ids AS id
MATCH (f:KgFact {relationship_id: id})
WHERE f.graph = $graph
WITH f.type AS type, coalesce(f.source_id, f.source_key) AS source, coalesce(f.target_id, f.target_key) AS target,
     id, collect(f) AS found
WITH type, source, target, found, [f IN found | f.id] AS facts
RETURN type, source, target, facts,
       [f IN found WHERE f.source_key = f.target_key | f.id] AS loops,
       COLLECT {
         UNWIND found AS f
         MATCH (f)-[s:STATED_IN]->(c:KgChunk)
         RETURN [f.id, c.document_id, c.index, s.row] + [name IN $columns | s[name]]
       } AS evidence,
       COLLECT {
         MATCH (a:KgEntity {id: source})-[r]->(b:KgEntity {id: target})
         WHERE a.graph = $graph AND b.graph = $graph AND r.fact_id IN facts
         RETURN [name IN $stored | r[name]]
       } AS drawn
