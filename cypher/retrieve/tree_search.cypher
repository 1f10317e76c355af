// title:   Nodes of narrative trees for a question
// purpose: The collapsed tree: leaves, summaries and details of all levels together, by cosine. Exact where the indexes' nearest are
//          of other graphs and trees or filtered out.
// mode:    read
// params:  $graph STRING (graph name, default main); $trees LIST<STRING> (ids);
//          $vector LIST<FLOAT> (vector of the question); $chunk_index STRING (vector index over chunks, or null: search exactly);
//          $node_index STRING (vector index over nodes of trees, or null: likewise);
//          $kinds LIST<STRING> (of chunk, summary, detail); $aspects LIST<STRING> (of summaries and of details that have one, or null: all);
//          $details INTEGER (of each leaf, those of lower number); $excluded LIST<STRING> (nodes that filters take away);
//          $fetch INTEGER (neighbours to ask of each index, >= 1); $top_k INTEGER (nodes to return, >= 1, default 5)
// columns: id STRING, kind STRING (chunk, summary or detail), text STRING, aspect STRING, level INTEGER, number INTEGER,
//          document STRING (title), leaf STRING (that a detail is a note on, else null), score FLOAT
// order:   score descending, then id
// source:  the narrative thesis
CALL () { // the nearest in each index; null where they may not be all that are near
  UNWIND [$chunk_index, $node_index] AS index
  CALL (index) {
    UNWIND CASE WHEN index IS NULL THEN [] ELSE [index] END AS name
    CALL (name) {
      WITH name WHERE name = $chunk_index
      CALL db.index.vector.queryNodes($chunk_index, $fetch, $vector) YIELD node, score
      RETURN node, score
      UNION ALL
      WITH name WHERE name = $node_index
      CALL db.index.vector.queryNodes($node_index, $fetch, $vector) YIELD node, score
      RETURN node, score
    }
    WITH node, score,
         node.graph = $graph AND NOT node.id IN $excluded
           AND CASE WHEN node:Summary THEN 'summary' WHEN node:Detail THEN 'detail' ELSE 'chunk' END IN $kinds
           AND ($aspects IS NULL OR node.aspect IS NULL OR node.aspect IN $aspects)
           AND (NOT node:Detail OR node.number < $details)
           AND (node.tree IN $trees OR (node:KgChunk AND EXISTS { (node)<-[:HAS_LEAF]-(t:KgTree) WHERE t.id IN $trees })) AS kept
    ORDER BY score DESC, node.id
    WITH count(*) AS fetched, collect(CASE WHEN kept THEN node END) AS hits
    RETURN CASE WHEN index IS NULL OR (fetched >= $fetch AND size(hits) < $top_k) THEN null ELSE hits[..$top_k] END AS near
  }
  WITH collect(near) AS lists
  RETURN CASE WHEN size(lists) < 2 THEN null ELSE lists[0] + lists[1] END AS near
}
CALL (near) {
  UNWIND coalesce(near, []) AS node // an index's own scores are of vectors that it has rounded
  RETURN node, vector.similarity.cosine(node.embedding, $vector) AS score
  UNION ALL
  WITH near WHERE near IS NULL
  UNWIND $trees AS tree
  MATCH (t:KgTree {id: tree})
  WHERE t.graph = $graph
  CALL (t) {
    MATCH (t)-[:HAS_LEAF]->(node)
    WHERE 'chunk' IN $kinds
    RETURN node
    UNION
    MATCH (t)<-[:IN_TREE]-(node:Summary)
    WHERE 'summary' IN $kinds AND ($aspects IS NULL OR node.aspect IN $aspects)
    RETURN node
    UNION
    MATCH (t)<-[:IN_TREE]-(node:Detail)
    WHERE 'detail' IN $kinds AND node.number < $details
      AND ($aspects IS NULL OR node.aspect IS NULL OR node.aspect IN $aspects)
    RETURN node
  }
  WITH DISTINCT node
  WHERE NOT node.id IN $excluded AND size(node.embedding) = size($vector)
  RETURN node, vector.similarity.cosine(node.embedding, $vector) AS score
}
WITH node, score ORDER BY score DESC, node.id LIMIT $top_k
OPTIONAL MATCH (:KgTree {id: node.tree})-[:TREE_OF]->(own:KgDocument)
OPTIONAL MATCH (node)-[:IN_DOCUMENT]->(read:KgDocument)
OPTIONAL MATCH (node)-[:DETAILS]->(leaf)
RETURN node.id AS id,
       CASE WHEN node:Summary THEN 'summary' WHEN node:Detail THEN 'detail' ELSE 'chunk' END AS kind,
       node.text AS text, coalesce(node.aspect, '') AS aspect, coalesce(node.level, 0) AS level,
       coalesce(node.number, node.index, 0) AS number,
       coalesce(own.title, read.title) AS document, leaf.id AS leaf, score
ORDER BY score DESC, id
