// title:   Entities in cited words
// purpose: What to draw for an answer: the entities that its quotes mention.
// mode:    read
// params:  $graph STRING (graph name, default main); $places LIST<MAP> (chunk, start and end of each quote);
//          $limit INTEGER (entities, >= 1, default 60)
// columns: id STRING, name STRING, type STRING
// order:   place of the first quote, then evidence descending, then id
// source:  kg-neo4j
UNWIND range(0, size($places) - 1) AS place
WITH place, $places[place] AS cited
MATCH (c:KgChunk {id: cited.chunk})<-[m:MENTIONED_IN]-(e:KgEntity)
WHERE c.graph = $graph AND m.quote_start < cited.end AND m.quote_end > cited.start
WITH e, min(place) AS place
RETURN e.id AS id, e.name AS name, e.type AS type
ORDER BY place, e.evidence_count DESC, id
LIMIT $limit
