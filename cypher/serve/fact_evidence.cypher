// title:   Facts with their evidence
// purpose: The ends of facts, and the words that state each; of a row of a table all from its first cell to its last one.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (facts); $quotes INTEGER (rows of one fact, >= 1, default 3)
// columns: id STRING, type STRING, source_id STRING, source STRING, target_id STRING, target STRING, evidence INTEGER (rows that state it),
//          source_key STRING, target_key STRING (of the names that state it), start STRING (date, or empty), hand STRING (decision of a statement by hand, or empty),
//          quotes LIST<LIST> (chunk, start and end of the words, the words, title of the document, pages of the document, start of the chunk, line of a table)
// order:   place in $ids
// source:  kg-neo4j
UNWIND range(0, size($ids) - 1) AS place
MATCH (f:KgFact {id: $ids[place]})
WHERE f.graph = $graph
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
WITH place, f, a, b, COLLECT {
  MATCH (f)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE s.stated IS NULL
  WITH s, c, d ORDER BY s.quote_start IS NULL, d.key, c.index, s.row LIMIT $quotes
  WITH s, c, d, CASE WHEN c.line IS NULL THEN [coalesce(s.quote_start, 0), coalesce(s.quote_end, 0)] + coalesce(s.other_quotes, [])
                ELSE [coalesce(s.quote_start, 0), coalesce(s.other_quotes[-1], s.quote_end, 0)] END AS places
  UNWIND range(0, size(places) - 2, 2) AS at
  WITH s, c, d, places[at] AS start, places[at + 1] AS end
  RETURN [c.id, start, end,
          CASE WHEN s.quote_start IS NULL THEN coalesce(s.quote, '') ELSE substring(c.text, start, end - start) END,
          d.title, d.pages, c.start, c.line]
} AS quotes
RETURN f.id AS id, f.type AS type, a.id AS source_id, a.name AS source, b.id AS target_id, b.name AS target,
       coalesce(f.evidence_count, 1) AS evidence, f.source_key AS source_key, f.target_key AS target_key,
       coalesce(toString(f.start_date), '') AS start,
       coalesce(head(COLLECT {
         MATCH (f)-[s:STATED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument) WHERE s.by_hand AND s.stated IS NULL RETURN d.key ORDER BY d.key
       }), '') AS hand, quotes
ORDER BY place
