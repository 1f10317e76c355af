// title:   Relationships within communities, for their reports
// purpose: All relationships and claims whose two ends belong to a community, with what is said of each.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (community ids)
// columns: id STRING, relationships LIST<LIST> (id of the fact, source, type, target, description, date of the start,
//          rows of evidence, strength or 0; source and target are ids of entities)
// order:   id; relationships by id of the fact
// source:  the length study
UNWIND $ids AS id
MATCH (c:KgCommunity {id: id})
WHERE c.graph = $graph
CALL (c) {
  MATCH (c)<-[:CHILD_OF]-{0,20}(:KgCommunity)<-[:IN_COMMUNITY]-(a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
  WHERE a.graph = $graph AND b.graph = $graph AND r.fact_id IS NOT NULL
    AND EXISTS { (b)-[:IN_COMMUNITY]->(:KgCommunity)-[:CHILD_OF]->{0,20}(c) }
  OPTIONAL MATCH (f:KgFact {id: r.fact_id})
  RETURN r.fact_id AS fact, [r.fact_id, a.id, type(r), b.id, coalesce(f.summary, r.description, ''),
         toString(coalesce(r.start_date, '')), coalesce(r.evidence_count, 1), coalesce(r.strength, 0)] AS relationship
  UNION ALL
  MATCH (f:KgFact)
  WHERE f.graph = $graph AND f.status IS NOT NULL AND f.stated = false
  MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
  MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
  WHERE EXISTS { (a)-[:IN_COMMUNITY]->(:KgCommunity)-[:CHILD_OF]->{0,20}(c) }
    AND EXISTS { (b)-[:IN_COMMUNITY]->(:KgCommunity)-[:CHILD_OF]->{0,20}(c) }
  RETURN f.id AS fact, [f.id, a.id, f.type, b.id, 'claim, ' + f.status + ': ' + coalesce(f.summary, f.description, ''),
         toString(coalesce(f.start_date, '')), coalesce(f.evidence_count, 1), 0] AS relationship
}
WITH id, fact, relationship ORDER BY id, fact
RETURN id, collect(relationship) AS relationships
ORDER BY id
