// title:   Entities with similar neighbourhoods
// purpose: Who is related to the same others (node similarity); often two names of one thing, or two in the same role.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (name or alias of the entity);
//          $limit INTEGER (rows, >= 1, default 10)
// columns: Node STRING, Similar STRING, NodeType STRING (of the similar one), Similarity FLOAT (Jaccard: shared neighbours by all of both, above 0 to 1),
//          Shared INTEGER (neighbours), Neighbours LIST<STRING> (the first five that are shared)
// order:   Similarity descending, then Shared descending, then Similar, then ids
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph
  AND any(known IN [n.name] + coalesce(n.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($name)))
CALL (n) {
  MATCH (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(m:KgEntity)
  WHERE m.graph = $graph AND m <> n
  RETURN collect(DISTINCT m) AS mine
}
UNWIND mine AS m
MATCH (m)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE o.graph = $graph AND o <> n AND o <> m
WITH DISTINCT n, mine, m, o ORDER BY m.name, m.id
WITH n, mine, o, count(m) AS Shared, collect(m.name)[..5] AS Neighbours
CALL (o) {
  MATCH (o)-[:!MENTIONED_IN&!IN_COMMUNITY]-(m:KgEntity)
  WHERE m.graph = $graph AND m <> o
  RETURN count(DISTINCT m) AS theirs
}
WITH *, round(toFloat(Shared) / (size(mine) + theirs - Shared), 4) AS Similarity
RETURN n.name AS Node, o.name AS Similar, o.type AS NodeType, Similarity, Shared, Neighbours
ORDER BY Similarity DESC, Shared DESC, Similar, n.id, o.id
LIMIT $limit
