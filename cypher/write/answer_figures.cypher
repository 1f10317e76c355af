// title:   What answers took
// purpose: Tells a plan what a model's answers about chunks of this graph are like.
// mode:    read
// params:  $graph STRING (graph name, default main); $model STRING (model name); $limit INTEGER (answers, >= 1)
// columns: chunk_id STRING, place INTEGER, text_tokens INTEGER, step STRING, input_tokens INTEGER, output_tokens INTEGER
// order:   chunk_id, then round
// source:  kg-neo4j
MATCH (c:KgChunk {graph: $graph})<-[:ANSWERS]-(a:KgAnswer {graph: $graph})
WHERE a.kind = 'extraction' AND a.model = $model AND a.input_tokens > 0
RETURN c.id AS chunk_id, c.index AS place, c.token_count AS text_tokens, coalesce(a.step, 'whole') AS step,
       a.input_tokens AS input_tokens, a.output_tokens AS output_tokens
ORDER BY chunk_id, a.round
LIMIT $limit
