// title:   Entities that stand on much evidence
// purpose: Tells a plan which of them may outgrow the bound for a summary.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (entities, >= 1)
// columns: name STRING, evidence INTEGER
// order:   evidence descending, then name and id
// source:  kg-neo4j
MATCH (e:KgEntity {graph: $graph})
WHERE e.evidence_count > 1
RETURN e.name AS name, e.evidence_count AS evidence
ORDER BY evidence DESC, name, e.id
LIMIT $limit
