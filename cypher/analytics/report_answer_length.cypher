// title:   How long reports of a model are
// purpose: Tells a plan what a report takes.
// mode:    read
// params:  $graph STRING (graph name, default main); $model STRING (model name)
// columns: answers INTEGER, output_tokens FLOAT (of one, on average; null where there is none)
// order:   none
// source:  the length study
MATCH (:KgCommunity {graph: $graph})<-[:ANSWERS]-(a:KgAnswer)
WHERE a.graph = $graph AND a.kind = 'report' AND a.model = $model AND a.output_tokens > 0
WITH DISTINCT a
RETURN count(a) AS answers, avg(a.output_tokens) AS output_tokens
