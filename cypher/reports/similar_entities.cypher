// title:   Entities that are described alike
// purpose: Nearest neighbours of one entity by the vectors of names and descriptions, exact; only entities that have a vector
//          of the same length, which `kg load` gives them.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (name or alias of the entity);
//          $limit INTEGER (rows, >= 1, default 10)
// columns: Node STRING, Similar STRING, NodeType STRING (of the similar one), Similarity FLOAT (as Neo4j has it: half of 1 + cosine, 0 to 1),
//          Related BOOLEAN (a relationship connects the two)
// order:   Similarity descending, then Similar, then ids
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph
  AND any(known IN [n.name] + coalesce(n.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($name)))
  AND n.embedding IS NOT NULL
MATCH (o:KgEntity)
WHERE o.graph = $graph AND o <> n AND size(o.embedding) = size(n.embedding)
WITH n, o, round(vector.similarity.cosine(n.embedding, o.embedding), 4) AS Similarity
ORDER BY Similarity DESC, o.name, n.id, o.id
LIMIT $limit
RETURN n.name AS Node, o.name AS Similar, o.type AS NodeType, Similarity,
       EXISTS { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o) } AS Related
ORDER BY Similarity DESC, Similar, n.id, o.id
