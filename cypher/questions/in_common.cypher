// title:   What two entities have in common
// purpose: Answers "What do X and Y have in common?": entities that both are related to.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $y LIST<STRING> (ids of the entities that Y names); $types LIST<STRING> (types of what is shared; none: every type);
//          $limit INTEGER (rows, >= 1, default 201)
// columns: Shared STRING, SharedType STRING, X STRING, OfX STRING (arrows show the direction), Y STRING, OfY STRING, Evidence INTEGER
//          (rows that state either), Ids LIST<STRING> (the two facts)
// order:   Evidence descending, then Shared, then OfX, then OfY, then ids
// source:  kg-neo4j
UNWIND $x AS from
MATCH (a:KgEntity {id: from})
WHERE a.graph = $graph
UNWIND $y AS to
MATCH (b:KgEntity {id: to})
WHERE b.graph = $graph AND NOT b.id IN $x
MATCH (a)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)-[s:!MENTIONED_IN&!IN_COMMUNITY]-(b)
WHERE o.graph = $graph AND NOT o.id IN $x AND NOT o.id IN $y AND ($types = [] OR o.type IN $types)
  AND true /* left: relationship r */ AND true /* left: relationship s */
WITH a, b, o, r, s, coalesce(r.evidence_count, 1) + coalesce(s.evidence_count, 1) AS Evidence,
     CASE WHEN startNode(r) = a THEN '-' + type(r) + '->' ELSE '<-' + type(r) + '-' END AS OfX,
     CASE WHEN startNode(s) = b THEN '-' + type(s) + '->' ELSE '<-' + type(s) + '-' END AS OfY
ORDER BY Evidence DESC, o.name, OfX, OfY, o.id, r.fact_id, s.fact_id
LIMIT $limit
RETURN o.name AS Shared, o.type AS SharedType, a.name AS X, OfX, b.name AS Y, OfY, Evidence, [r.fact_id, s.fact_id] AS Ids
