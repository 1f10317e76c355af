// title:   Relationships within communities, for their reports
// purpose: All relationships whose two ends belong to a community, with what is said of each.
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
  RETURN a, r, b, f
}
WITH id, a, r, b, f ORDER BY id, r.fact_id
RETURN id, collect([r.fact_id, a.id, type(r), b.id, coalesce(f.summary, r.description, ''),
                    toString(coalesce(r.start_date, '')), coalesce(r.evidence_count, 1), coalesce(r.strength, 0)]) AS relationships
ORDER BY id
