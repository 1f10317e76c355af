// title:   Neighbours of one entity
// purpose: Everything that the graph says of one entity, found by its name or an alias, upper and lower case alike.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (name or alias of the entity);
//          $limit INTEGER (rows, >= 1, default 50)
// columns: Node STRING, Relationship STRING (arrows show its direction), Neighbour STRING, NodeType STRING (of the neighbour),
//          StartDate STRING, Evidence INTEGER (rows that state it), Description STRING
// order:   Evidence descending, then Neighbour, then Relationship, then ids
// source:  kg-neo4j
MATCH (n:KgEntity)
WHERE n.graph = $graph
  AND any(known IN [n.name] + coalesce(n.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($name)))
MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE o.graph = $graph
WITH n, r, o, coalesce(r.evidence_count, 1) AS Evidence,
     CASE WHEN startNode(r) = n THEN '-' ELSE '<-' END + type(r) + coalesce(' ' + toString(r.phrase), '')
       + CASE WHEN startNode(r) = n THEN '->' ELSE '-' END AS Relationship
ORDER BY Evidence DESC, o.name, Relationship, n.id, o.id, r.fact_id
LIMIT $limit
RETURN n.name AS Node, Relationship, o.name AS Neighbour, o.type AS NodeType, r.start_date AS StartDate, Evidence,
       r.description AS Description
