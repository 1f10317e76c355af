// title:   Delete the trees of documents
// purpose: Before a document leaves, all that was made of it for its trees leaves: nodes, fits, what was said.
// mode:    write
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (document ids); $limit INTEGER (nodes at a time, >= 1)
// columns: deleted INTEGER
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree)
WHERE t.graph = $graph AND t.document_id IN $documents
CALL (t) {
  MATCH (n:KgTreeNode)
  WHERE n.tree = t.id AND n.graph = $graph
  RETURN n
  UNION
  MATCH (n:KgAnswer)-[:ANSWERS]->(t)
  RETURN n
  UNION
  RETURN t AS n
}
WITH n, CASE WHEN n:KgTree THEN 1 ELSE 0 END AS place
ORDER BY place LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
