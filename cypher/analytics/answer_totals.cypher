// title:   What all answers took
// purpose: Tells a study what the answers about chunks cost, whichever run paid.
// mode:    read
// params:  $graph STRING (graph name, default main); $model STRING (model name)
// columns: answers INTEGER, known INTEGER (those of which it is known what they took), cached INTEGER (those that came
//          from the cache), input_tokens INTEGER, output_tokens INTEGER
// order:   none
// source:  kg-neo4j
MATCH (a:KgAnswer {graph: $graph})
WHERE a.kind = 'extraction' AND a.model = $model
RETURN count(a) AS answers,
       sum(CASE WHEN a.input_tokens > 0 THEN 1 ELSE 0 END) AS known,
       sum(CASE WHEN a.cached OR coalesce(a.input_tokens, 0) = 0 THEN 1 ELSE 0 END) AS cached,
       sum(coalesce(a.input_tokens, 0)) AS input_tokens,
       sum(coalesce(a.output_tokens, 0)) AS output_tokens
