// title:   What chunks are evidence for
// purpose: Where the text of each chunk mentions entities and states facts, and which of them a person corrected.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (chunks);
//          $most INTEGER (mentions, and statements, of one chunk, >= 1, default 500)
// columns: id STRING, mentions LIST<LIST> (id and name of the entity, its name there, start and end of the words; of a row of a table all cells),
//          statements LIST<LIST> (start and end of the words, id and type of the fact, id and name of its source, of its target),
//          corrected LIST<LIST> (start and end of words that state what a person called wrong, the decision, what is wrong, what is right or empty, reason)
// order:   none; mentions and statements by place, then id
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
WHERE c.graph = $graph
RETURN id,
       COLLECT {
         MATCH (c)<-[m:MENTIONED_IN]-(e:KgEntity)
         WHERE m.quote_start IS NOT NULL AND m.quote_end IS NOT NULL
         WITH e, m, [m.quote_start, m.quote_end] + CASE WHEN c.line IS NULL THEN [] ELSE coalesce(m.other_quotes, []) END AS quotes
         UNWIND range(0, size(quotes) - 2, 2) AS at
         RETURN DISTINCT [e.id, e.name, coalesce(m.name, e.name), quotes[at], quotes[at + 1]] AS mention
         ORDER BY mention[3], mention[0], mention[2] LIMIT $most
       } AS mentions,
       COLLECT {
         MATCH (c)<-[s:STATED_IN]-(f:KgFact)
         WHERE s.stated IS NULL AND s.quote_start IS NOT NULL AND s.quote_end IS NOT NULL
         MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
         MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
         WITH f, a, b, [s.quote_start, s.quote_end] + coalesce(s.other_quotes, []) AS quotes
         UNWIND range(0, size(quotes) - 2, 2) AS at
         RETURN DISTINCT [quotes[at], quotes[at + 1], f.id, f.type, a.id, a.name, b.id, b.name] AS statement
         ORDER BY statement[0], statement[1], statement[3], statement[2] LIMIT $most
       } AS statements,
       COLLECT {
         MATCH (c)<-[s:STATED_IN]-(:KgFact)<-[:CORRECTS]-(d:KgDecision)
         WHERE s.wrong IS NOT NULL AND s.quote_start IS NOT NULL AND s.quote_end IS NOT NULL
         WITH d, [s.quote_start, s.quote_end] + coalesce(s.other_quotes, []) AS quotes
         UNWIND range(0, size(quotes) - 2, 2) AS at
         RETURN DISTINCT [quotes[at], quotes[at + 1], d.id, d.left_name, coalesce(d.right_name, ''), coalesce(d.reason, '')] AS correction
         ORDER BY correction[0], correction[1], correction[2] LIMIT $most
       } AS corrected
