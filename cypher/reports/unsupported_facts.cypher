// title:   Facts without supporting text
// purpose: Facts none of whose rows quotes words that were found in the text: the first to doubt.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 100)
// columns: Source STRING, Relationship STRING, Target STRING, Evidence INTEGER (rows that state it), Document STRING (the first of these),
//          Chunk INTEGER (its place in the document, from 0), Quote STRING (words that were given but not found)
// order:   Document, Chunk, then Source, Relationship, Target, id
// source:  kg-neo4j
MATCH (f:KgFact)
WHERE f.graph = $graph AND f.stated IS NULL AND NOT EXISTS { (f)-[found:STATED_IN]->(:KgChunk) WHERE found.quote_start IS NOT NULL AND found.stated IS NULL }
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
WHERE a.graph = $graph
MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
WHERE b.graph = $graph
CALL (f) {
  OPTIONAL MATCH (f)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE c.graph = $graph AND s.stated IS NULL
  RETURN d.title AS Document, c.index AS Chunk, s.quote AS Quote ORDER BY d.title, d.id, c.index, s.row LIMIT 1
}
RETURN a.name AS Source, f.type + coalesce(' ' + toString(f.phrase), '') AS Relationship, b.name AS Target, f.evidence_count AS Evidence, Document, Chunk, Quote
ORDER BY Document, Chunk, Source, Relationship, Target, f.id
LIMIT $limit
