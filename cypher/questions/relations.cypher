// title:   What the graph says of an entity
// purpose: Answers "Who is related to X?" and "What is known about X?": every relationship of the entities that X names.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $types LIST<STRING> (types of the other end; none: every type); $limit INTEGER (rows, >= 1, default 201);
//          $filtered BOOLEAN (whether filters leave something out)
// columns: Node STRING, Relationship STRING (arrows show its direction), Neighbour STRING, NeighbourType STRING,
//          Date STRING (as the text gives it), Evidence INTEGER (rows that state it), Ids LIST<STRING> (the fact)
// order:   Evidence descending, then Neighbour, then Relationship, then ids
// source:  kg-neo4j
UNWIND $x AS id
MATCH (n:KgEntity {id: id})
WHERE n.graph = $graph
MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE o.graph = $graph AND ($types = [] OR o.type IN $types) AND NOT (startNode(r).id IN $x AND endNode(r) = n AND n <> o)
  AND true /* left: relationship r */
CALL (r) { // under filters as the texts that are left say it
  WITH r WHERE NOT $filtered
  RETURN r.start_date AS start_date, coalesce(r.evidence_count, 1) AS Evidence
  UNION ALL
  WITH r WHERE $filtered
  MATCH (one:KgFact {id: r.fact_id})
  CALL (one) {
    RETURN one AS f
    UNION
    MATCH (f:KgFact {relationship_id: one.relationship_id})
    RETURN f
  }
  MATCH (f)-[s:STATED_IN]->(c:KgChunk)
  WHERE true /* left: chunk c */ AND s.stated IS NULL
  WITH r, s, c ORDER BY c.index, c.id, s.row
  WITH r, collect(s.start_date)[0] AS start_date, count(s) AS Evidence
  RETURN start_date, Evidence
}
WITH n, r, o, start_date, Evidence,
     CASE WHEN startNode(r) = n THEN '-' ELSE '<-' END + type(r) + coalesce(' ' + toString(r.phrase), '')
       + CASE WHEN startNode(r) = n THEN '->' ELSE '-' END AS Relationship
ORDER BY Evidence DESC, o.name, Relationship, n.id, o.id, r.fact_id
LIMIT $limit
RETURN n.name AS Node, Relationship, o.name AS Neighbour, o.type AS NeighbourType, start_date AS Date, Evidence,
       [r.fact_id] AS Ids
