// title:   Shortest paths between two entities
// purpose: The ways in which two entities are connected, whatever the direction of the relationships: the shortest ones and,
//          where these are fewer than k, the next two lengths; none meets a node twice; at most eight steps.
// mode:    read
// params:  $graph STRING (graph name, default main); $from STRING (name or alias of the first entity);
//          $to STRING (name or alias of the second entity); $k INTEGER (paths, >= 1, default 5)
// columns: Path INTEGER, Steps INTEGER, Nodes LIST<STRING>, Relationships LIST<STRING> (arrows show their direction; of several between
//          two nodes the one with most evidence), Evidence INTEGER (rows that state them)
// order:   Path: fewer steps first, then more evidence, then the names
// source:  the length study
MATCH (a:KgEntity)
WHERE a.graph = $graph
  AND any(known IN [a.name] + coalesce(a.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($from)))
MATCH (b:KgEntity)
WHERE b.graph = $graph AND b <> a
  AND any(known IN [b.name] + coalesce(b.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($to)))
CALL (a, b) {
  MATCH p = SHORTEST 1 GROUPS
        (a) ((x:KgEntity WHERE x.graph = $graph)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(y:KgEntity WHERE y.graph = $graph)){1,8} (b)
  RETURN count(DISTINCT [n IN nodes(p) | n.id]) AS shortest
}
CALL (a, b, shortest) {
  WITH a, b WHERE shortest >= $k
  MATCH p = SHORTEST 1 GROUPS
        (a) ((x:KgEntity WHERE x.graph = $graph)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(y:KgEntity WHERE y.graph = $graph)){1,8} (b)
  RETURN p, r
  UNION ALL
  WITH a, b WHERE 0 < shortest < $k
  MATCH p = SHORTEST 3 GROUPS
        (a) ((x:KgEntity WHERE x.graph = $graph)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(y:KgEntity WHERE y.graph = $graph)){1,8} (b)
  RETURN p, r
}
WITH nodes(p) AS nodes, r
WHERE all(i IN range(0, size(nodes) - 1) WHERE NOT nodes[i] IN nodes[i + 1..])
WITH nodes, r, reduce(rows = 0, each IN r | rows + coalesce(each.evidence_count, 1)) AS Evidence
ORDER BY Evidence DESC, [each IN r | type(each)], [each IN r | each.fact_id]
WITH nodes, head(collect([r, Evidence])) AS best
WITH nodes, best[0] AS r, best[1] AS Evidence, size(nodes) - 1 AS Steps, [n IN nodes | n.name] AS Nodes
ORDER BY Steps, Evidence DESC, Nodes, [n IN nodes | n.id]
LIMIT $k
WITH collect([Steps, Nodes, [i IN range(0, Steps - 1) |
       CASE WHEN startNode(r[i]) = nodes[i] THEN '-' + type(r[i]) + '->' ELSE '<-' + type(r[i]) + '-' END], Evidence]) AS paths
UNWIND range(1, size(paths)) AS Path
RETURN Path, paths[Path - 1][0] AS Steps, paths[Path - 1][1] AS Nodes, paths[Path - 1][2] AS Relationships,
       paths[Path - 1][3] AS Evidence
ORDER BY Path
