// title:   Shortest path between two entities
// purpose: How two entities are connected, whatever the direction of the relationships; at most eight steps.
// mode:    read
// params:  $graph STRING (graph name, default main); $from STRING (name or alias of the first entity);
//          $to STRING (name or alias of the second entity)
// columns: Step INTEGER, Node STRING, Relationship STRING (arrows show its direction), Neighbour STRING, Evidence INTEGER (rows that state it)
// order:   Step; among paths of equal length the one with most evidence, then the one whose names come first
// source:  kg-neo4j
MATCH (a:KgEntity)
WHERE a.graph = $graph
  AND any(known IN [a.name] + coalesce(a.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($from)))
MATCH (b:KgEntity)
WHERE b.graph = $graph AND b <> a
  AND any(known IN [b.name] + coalesce(b.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($to)))
MATCH p = allShortestPaths((a)-[*1..8]-(b))
WHERE all(r IN relationships(p) WHERE NOT type(r) IN ['MENTIONED_IN', 'IN_COMMUNITY'])
  AND all(n IN nodes(p) WHERE n:KgEntity AND n.graph = $graph)
WITH p ORDER BY length(p), reduce(rows = 0, r IN relationships(p) | rows + coalesce(r.evidence_count, 1)) DESC,
                [n IN nodes(p) | n.name], [n IN nodes(p) | n.id], [r IN relationships(p) | type(r)],
                [r IN relationships(p) | r.fact_id]
LIMIT 1
UNWIND range(1, length(p)) AS Step
WITH Step, nodes(p)[Step - 1] AS n, relationships(p)[Step - 1] AS r, nodes(p)[Step] AS o
RETURN Step,
       n.name AS Node,
       CASE WHEN startNode(r) = n THEN '-' ELSE '<-' END + type(r) + coalesce(' ' + toString(r.phrase), '')
       + CASE WHEN startNode(r) = n THEN '->' ELSE '-' END AS Relationship,
       o.name AS Neighbour,
       coalesce(r.evidence_count, 1) AS Evidence
ORDER BY Step
