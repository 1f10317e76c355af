// title:   Decisions on who is who
// purpose: All of them: components are recomputed, never patched. Pending ones are stored, but the graph does not show
//          them yet.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, kind STRING, left_key STRING, right_key STRING, left_name STRING, right_name STRING, rule STRING,
//          score FLOAT, reason STRING, revoked BOOLEAN, run INTEGER, document STRING (or empty), content STRING (or empty),
//          pending BOOLEAN, derived BOOLEAN (from the evidence, by settling)
// order:   run, then id
// source:  the graph article
MATCH (d:KgDecision)
WHERE d.graph = $graph
RETURN d.id AS id, d.kind AS kind, d.left_key AS left_key, d.right_key AS right_key, coalesce(d.left_name, '') AS left_name,
       coalesce(d.right_name, '') AS right_name, d.rule AS rule, d.score AS score, coalesce(d.reason, '') AS reason, d.revoked AS revoked,
       d.resolve_run AS run,
       coalesce(d.document, '') AS document, coalesce(d.content, '') AS content, d:Unsettled AS pending,
       coalesce(d.derived, false) AS derived
ORDER BY run, id
