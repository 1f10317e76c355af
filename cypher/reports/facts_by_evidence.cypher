// title:   Facts with most evidence
// purpose: What the sources say again and again, with the first words that say so.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 20)
// columns: Source STRING, Relationship STRING, Target STRING, Evidence INTEGER (rows that state it),
//          Documents INTEGER (that state it), Quote STRING (words of the first chunk that states it)
// order:   Evidence descending, then Documents descending, then Source, Relationship, Target, id
// source:  kg-neo4j
MATCH (f:KgFact)
WHERE f.graph = $graph AND f.stated IS NULL
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
WHERE a.graph = $graph
MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
WHERE b.graph = $graph
WITH f, a, b, f.evidence_count AS Evidence,
     COUNT { MATCH (f)-[s:STATED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument) WHERE d.graph = $graph AND s.stated IS NULL RETURN DISTINCT d } AS Documents
ORDER BY Evidence DESC, Documents DESC, a.name, f.type, b.name, f.id
LIMIT $limit
CALL (f) {
  OPTIONAL MATCH (f)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE c.graph = $graph AND s.quote IS NOT NULL AND s.stated IS NULL
  RETURN s.quote AS Quote ORDER BY d.title, d.id, c.index, s.row LIMIT 1
}
RETURN a.name AS Source, f.type + coalesce(' ' + toString(f.phrase), '') AS Relationship, b.name AS Target, Evidence, Documents, Quote
ORDER BY Evidence DESC, Documents DESC, Source, Relationship, Target, f.id
