// title:   Facts in cited words
// purpose: What the words of an answer's quotes state, so that a person can say that it is wrong.
// mode:    read
// params:  $graph STRING (graph name, default main); $places LIST<MAP> (chunk, start and end of each quote);
//          $limit INTEGER (facts, >= 1, default 100)
// columns: place INTEGER (in $places, from 1), id STRING, type STRING, source_id STRING, source STRING, target_id STRING, target STRING
// order:   place, then type, then id
// source:  kg-neo4j
UNWIND range(0, size($places) - 1) AS place
WITH place, $places[place] AS cited
MATCH (c:KgChunk {id: cited.chunk})<-[s:STATED_IN]-(f:KgFact)
WHERE c.graph = $graph AND s.stated IS NULL
WITH place, cited, f, [s.quote_start, s.quote_end] + coalesce(s.other_quotes, []) AS quotes
WHERE any(at IN range(0, size(quotes) - 2, 2) WHERE quotes[at] < cited.end AND quotes[at + 1] > cited.start)
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
RETURN DISTINCT place + 1 AS place, f.id AS id, f.type AS type, a.id AS source_id, a.name AS source, b.id AS target_id, b.name AS target
ORDER BY place, type, id
LIMIT $limit
