// title:   Bridges
// purpose: Relationships that alone hold two parts of the graph together: a single source of a connection, or one to check.
//          Parallel and opposite relationships of a pair are one bridge. Filled in by analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 20)
// columns: Node STRING, Neighbour STRING, Relationships LIST<STRING> (their types), Evidence INTEGER (rows that state them),
//          Smaller INTEGER (connections of the end that has fewer)
// order:   Smaller descending, so that mere leaves come last, then Node, Neighbour, then ids
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND size(n.bridges) > 0
UNWIND n.bridges AS other
MATCH (o:KgEntity {id: other})
WHERE o.graph = $graph AND n.num < o.num
WITH *, CASE WHEN n.name <= o.name THEN [n, o] ELSE [o, n] END AS ends,
     CASE WHEN n.degree < o.degree THEN n.degree ELSE o.degree END AS Smaller
ORDER BY Smaller DESC, ends[0].name, ends[1].name, n.id, o.id
LIMIT $limit
CALL (n, o) {
  MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o)
  WHERE o.graph = $graph
  WITH r ORDER BY type(r)
  RETURN collect(DISTINCT type(r)) AS Relationships, sum(coalesce(r.evidence_count, 1)) AS Evidence
}
RETURN ends[0].name AS Node, ends[1].name AS Neighbour, Relationships, Evidence, Smaller
ORDER BY Smaller DESC, Node, Neighbour, n.id, o.id
