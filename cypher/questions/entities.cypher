// title:   Entities of a type
// purpose: Answers "Which people are there?": entities, the best attested first.
// mode:    read
// params:  $graph STRING (graph name, default main); $types LIST<STRING> (types; none: every type);
//          $limit INTEGER (rows, >= 1, default 201);
//          $filtered BOOLEAN (whether filters leave something out)
// columns: Name STRING, Type STRING, Role STRING, Evidence INTEGER (rows that mention it), Ids LIST<STRING> (the entity)
// order:   Evidence descending, then Name, then ids
// source:  kg-neo4j
MATCH (n:KgEntity)
WHERE n.graph = $graph AND ($types = [] OR n.type IN $types) AND true /* left: entity n */
CALL (n) { // under filters as the texts that are left say it
  WITH n WHERE NOT $filtered
  RETURN n.role AS Role, coalesce(n.evidence_count, 0) AS Evidence
  UNION ALL
  WITH n WHERE $filtered
  MATCH (n)-[m:MENTIONED_IN]->(c:KgChunk)
  WHERE true /* left: chunk c */
  WITH n, m, c ORDER BY c.index, c.id, m.row
  WITH n, collect(m.role)[0] AS Role, count(m) AS Evidence
  RETURN Role, Evidence
}
WITH n, Role, Evidence
ORDER BY Evidence DESC, n.name, n.id
LIMIT $limit
RETURN n.name AS Name, n.type AS Type, Role, Evidence, [n.id] AS Ids
