// title:   Members of communities, for their reports
// purpose: All entities of communities of any level, with what is said of each.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (community ids)
// columns: id STRING, entities LIST<LIST> (id, name, type, description, rows of evidence, year of birth, year of death,
//          id of the community of the next finer level or null)
// order:   id; entities by id
// source:  the length study
UNWIND $ids AS id
MATCH (c:KgCommunity {id: id})
WHERE c.graph = $graph
CALL (c) {
  MATCH (c)<-[:IN_COMMUNITY]-(e:KgEntity)
  WHERE e.graph = $graph
  RETURN e, null AS child
  UNION ALL
  MATCH (c)<-[:CHILD_OF]-(next:KgCommunity)<-[:CHILD_OF]-{0,20}(:KgCommunity)<-[:IN_COMMUNITY]-(e:KgEntity)
  WHERE e.graph = $graph
  RETURN e, next.id AS child
}
WITH id, e, child ORDER BY id, e.id
RETURN id, collect([e.id, e.name, e.type, coalesce(e.summary, e.description, e.role, ''), coalesce(e.evidence_count, 0),
                    e.birth_year, e.death_year, child]) AS entities
ORDER BY id
