// title:   A page of the decisions of a graph
// purpose: What was decided on names, types, facts and nodes, those taken back too; of all of them, or of those that touch something.
// mode:    read
// params:  $graph STRING (graph name, default main); $kinds LIST<STRING> (kinds of decisions);
//          $keys LIST<STRING> (ids of decisions, keys of names, or types; empty: all decisions);
//          $skip INTEGER (decisions before the page, >= 0, default 0); $limit INTEGER (decisions, >= 1, default 20)
// columns: id STRING, kind STRING, left STRING, right STRING, left_key STRING, right_key STRING, rule STRING, reason STRING,
//          revoked BOOLEAN, run INTEGER (0: of no run), document STRING (title of the one that means another bearer, or empty),
//          content STRING (JSON, or empty), lost BOOLEAN (whether its sentences have gone)
// order:   those that hold first, then run descending, then id
// source:  kg-neo4j
MATCH (d:KgDecision)
WHERE d.graph = $graph AND d.kind IN $kinds
  AND (size($keys) = 0 OR d.id IN $keys OR d.left_key IN $keys OR d.right_key IN $keys)
WITH d ORDER BY d.revoked, coalesce(d.resolve_run, 0) DESC, d.id SKIP $skip LIMIT $limit
OPTIONAL MATCH (at:KgDocument {id: d.document})
RETURN d.id AS id, d.kind AS kind, coalesce(d.left_name, '') AS left, coalesce(d.right_name, '') AS right,
       d.left_key AS left_key, d.right_key AS right_key, d.rule AS rule, coalesce(d.reason, '') AS reason,
       d.revoked AS revoked, coalesce(d.resolve_run, 0) AS run, coalesce(at.title, at.key, d.document, '') AS document,
       coalesce(d.content, '') AS content, coalesce(d.lost, false) AS lost
ORDER BY revoked, run DESC, id
