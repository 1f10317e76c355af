// title:   How two entities are connected
// purpose: Answers "How are X and Y connected?": the shortest ways between them, whatever the direction of the
//          relationships; at most six steps, none through a node twice.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $y LIST<STRING> (ids of the entities that Y names); $limit INTEGER (paths, >= 1, default 6)
// columns: Steps INTEGER, Nodes LIST<STRING>, Relationships LIST<STRING> (arrows show their direction; of several between
//          two nodes the one with most evidence), Evidence INTEGER (rows that state them), Ids LIST<STRING> (the facts)
// order:   Steps, then Evidence descending, then the names, then ids
// source:  kg-neo4j
UNWIND $x AS from
MATCH (a:KgEntity {id: from})
WHERE a.graph = $graph
UNWIND $y AS to
MATCH (b:KgEntity {id: to})
WHERE b.graph = $graph AND NOT b.id IN $x
CALL (a, b) {
  MATCH p = SHORTEST 1 GROUPS
        (a) ((l:KgEntity WHERE l.graph = $graph)-[r:!MENTIONED_IN&!IN_COMMUNITY WHERE true /* left: relationship r */]-(m:KgEntity WHERE m.graph = $graph)){1,6} (b)
  RETURN nodes(p) AS nodes, r LIMIT 10000
}
WITH nodes, r, reduce(rows = 0, each IN r | rows + coalesce(each.evidence_count, 1)) AS Evidence
ORDER BY Evidence DESC, [each IN r | type(each)], [each IN r | each.fact_id]
WITH nodes, head(collect([r, Evidence])) AS best
WITH nodes, best[0] AS r, best[1] AS Evidence, size(nodes) - 1 AS Steps, [n IN nodes | n.name] AS Nodes
ORDER BY Steps, Evidence DESC, Nodes, [n IN nodes | n.id]
WITH collect({nodes: nodes, r: r, Evidence: Evidence, Steps: Steps, Nodes: Nodes}) AS all
UNWIND [path IN all WHERE path.Steps = all[0].Steps][..$limit] AS path
WITH path.nodes AS nodes, path.r AS r, path.Evidence AS Evidence, path.Steps AS Steps, path.Nodes AS Nodes
RETURN Steps, Nodes,
       [i IN range(0, Steps - 1) |
         CASE WHEN startNode(r[i]) = nodes[i] THEN '-' + type(r[i]) + '->' ELSE '<-' + type(r[i]) + '-' END] AS Relationships,
       Evidence, [each IN r | each.fact_id] AS Ids
ORDER BY Steps, Evidence DESC, Nodes, Ids
