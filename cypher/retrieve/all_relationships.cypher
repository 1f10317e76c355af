// title:   All relationships between the entities of a graph
// purpose: The edges of a graph as a table, each with the first words that state it: for pandas, networkx, CSV and GraphML.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: source STRING (name), type STRING, target STRING (name), quote STRING (as stored; null: the words from start to end of the chunk),
//          document STRING (title), start_date STRING (or null), end_date STRING (or null), evidence INTEGER (rows that state it),
//          by_hand INTEGER (of these, statements of a person), source_id STRING, target_id STRING, fact_id STRING,
//          chunk_id STRING (that states it), start INTEGER (in the chunk, or null), end INTEGER
// order:   source, then type, then target, then ids
// source:  kg-neo4j
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
WHERE a.graph = $graph AND b.graph = $graph
CALL (r) {
  OPTIONAL MATCH (f:KgFact {id: r.fact_id})-[s:STATED_IN]->(c:KgChunk)
  WHERE s.stated IS NULL
  WITH s, c ORDER BY s.quote_start IS NULL, c.index, c.id, s.row LIMIT 1
  RETURN s, c, head(COLLECT { MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument) RETURN d.title }) AS document
}
RETURN a.name AS source, type(r) AS type, b.name AS target, s.quote AS quote, document,
       toString(r.start_date) AS start_date, toString(r.end_date) AS end_date, coalesce(r.evidence_count, 1) AS evidence,
       COUNT { MATCH (:KgFact {id: r.fact_id})-[by:STATED_IN]->(:KgChunk) WHERE by.stated IS NULL AND by.by_hand } AS by_hand,
       a.id AS source_id, b.id AS target_id, r.fact_id AS fact_id, c.id AS chunk_id, s.quote_start AS start,
       CASE WHEN c.line IS NULL THEN s.quote_end ELSE coalesce(s.other_quotes[-1], s.quote_end) END AS end
ORDER BY source, type, target, source_id, target_id, fact_id
