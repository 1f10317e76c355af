// title:   Entities in cited words
// purpose: What to draw for an answer: the entities that its quotes mention, and those of the facts that they state.
// mode:    read
// params:  $graph STRING (graph name, default main); $places LIST<MAP> (chunk, start and end of each quote);
//          $limit INTEGER (entities, >= 1, default 60)
// columns: id STRING, name STRING, type STRING
// order:   place of the first quote, then evidence descending, then id
// source:  kg-neo4j
UNWIND range(0, size($places) - 1) AS place
WITH place, $places[place] AS cited
MATCH (c:KgChunk {id: cited.chunk})
WHERE c.graph = $graph
CALL (c, cited) {
  MATCH (c)<-[m:MENTIONED_IN]-(e:KgEntity)
  WITH cited, e, [m.quote_start, m.quote_end] + coalesce(m.other_quotes, []) AS quotes
  WHERE any(at IN range(0, size(quotes) - 2, 2) WHERE quotes[at] < cited.end AND quotes[at + 1] > cited.start)
  RETURN e
  UNION
  MATCH (c)<-[s:STATED_IN]-(f:KgFact)
  WHERE s.stated IS NULL
  WITH cited, f, [s.quote_start, s.quote_end] + coalesce(s.other_quotes, []) AS quotes
  WHERE any(at IN range(0, size(quotes) - 2, 2) WHERE quotes[at] < cited.end AND quotes[at + 1] > cited.start)
  UNWIND [coalesce(f.source_id, f.source_key), coalesce(f.target_id, f.target_key)] AS id
  MATCH (e:KgEntity {id: id})
  RETURN e
}
WITH e, min(place) AS place
RETURN e.id AS id, e.name AS name, e.type AS type
ORDER BY place, e.evidence_count DESC, id
LIMIT $limit
