// title:   One step through narrative trees
// purpose: Traversal: the nodes beside which it begins, those beneath nodes, or those above them, the nearest to the question first.
// mode:    read
// params:  $graph STRING (graph name, default main); $trees LIST<STRING> (ids); $begin LIST<STRING> (nodes);
//          $to STRING (roots: what no summary that filters leave is made of; leaves; down: what $begin was made from; up: summaries of $begin);
//          $vector LIST<FLOAT> (vector of the question); $aspects LIST<STRING> (of summaries, or null: all);
//          $excluded LIST<STRING> (nodes that filters take away); $limit INTEGER (nodes to return, >= 1, default 5)
// columns: id STRING, kind STRING (chunk or summary), text STRING, aspect STRING, level INTEGER, number INTEGER,
//          document STRING (title), leaf STRING (always null: no detail is on the way), score FLOAT
// order:   score descending, then id
// source:  the narrative thesis
UNWIND $trees AS tree
MATCH (t:KgTree {id: tree})-[:TREE_OF]->(d:KgDocument)
WHERE t.graph = $graph
CALL (t) {
  MATCH (t)<-[:IN_TREE]-(node:Summary)
  WHERE $to = 'roots' AND NOT EXISTS { (node)<-[:SUMMARISES]-(above:Summary) WHERE NOT above.id IN $excluded }
  RETURN node
  UNION
  MATCH (t)-[:HAS_LEAF]->(node)
  WHERE $to = 'roots' AND NOT EXISTS { (node)<-[:SUMMARISES]-(above:Summary)-[:IN_TREE]->(t) WHERE NOT above.id IN $excluded }
  RETURN node
  UNION
  MATCH (t)-[:HAS_LEAF]->(node)
  WHERE $to = 'leaves'
  RETURN node
  UNION
  MATCH (t)<-[:IN_TREE]-(above:Summary)-[:SUMMARISES]->(node)
  WHERE $to = 'down' AND above.id IN $begin
  RETURN node
  UNION
  MATCH (t)<-[:IN_TREE]-(node:Summary)-[:SUMMARISES]->(beneath)
  WHERE $to = 'up' AND beneath.id IN $begin
  RETURN node
}
WITH DISTINCT node, d
WHERE NOT node.id IN $excluded AND size(node.embedding) = size($vector)
  AND (NOT node:Summary OR $aspects IS NULL OR node.aspect IN $aspects)
WITH node, d, vector.similarity.cosine(node.embedding, $vector) AS score
RETURN node.id AS id, CASE WHEN node:Summary THEN 'summary' ELSE 'chunk' END AS kind, node.text AS text,
       coalesce(node.aspect, '') AS aspect, coalesce(node.level, 0) AS level, coalesce(node.number, node.index, 0) AS number,
       d.title AS document, null AS leaf, score
ORDER BY score DESC, id LIMIT $limit
