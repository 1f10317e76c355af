// title:   A page of the narrative trees of a graph
// purpose: Which documents have trees, and how large they are.
// mode:    read
// params:  $graph STRING (graph name, default main); $skip INTEGER (trees before the page, >= 0, default 0);
//          $limit INTEGER (trees, >= 1, default 20)
// columns: document_id STRING, document STRING, name STRING, complete BOOLEAN, leaves INTEGER, summaries INTEGER, levels INTEGER
// order:   document, then name, then id
// source:  kg-neo4j
MATCH (t:KgTree {graph: $graph})-[:TREE_OF]->(d:KgDocument {graph: $graph})
WITH t, d ORDER BY d.title, t.name, t.id SKIP $skip LIMIT $limit
CALL (t) {
  OPTIONAL MATCH (n:KgTreeNode)-[:IN_TREE]->(t)
  WHERE n.aspect IS NOT NULL AND n.level >= 1
  RETURN count(n) AS summaries, coalesce(max(n.level), 0) AS levels
}
RETURN d.id AS document_id, coalesce(d.title, '') AS document, t.name AS name, coalesce(t.complete, false) AS complete,
       COUNT { (t)-[:HAS_LEAF]->() } AS leaves, summaries, levels
ORDER BY document, name, t.id
