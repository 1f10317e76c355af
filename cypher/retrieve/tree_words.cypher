// title:   Nodes of narrative trees that have words of a question
// purpose: The collapsed tree by words; each kind by itself, because a note and a page do not compare.
// mode:    read
// params:  $graph STRING (graph name, default main); $trees LIST<STRING> (ids); $words STRING (full-text query);
//          $kinds LIST<STRING> (of chunk, summary, detail); $aspects LIST<STRING> (of summaries and of details that have one, or null: all);
//          $details INTEGER (of each leaf, those of lower number); $excluded LIST<STRING> (nodes that filters take away);
//          $fetch INTEGER (finds to look at, >= 1; where too few of them are of these trees, all); $top_k INTEGER (of each kind, >= 1)
// columns: id STRING, kind STRING (chunk, summary or detail), text STRING, aspect STRING, level INTEGER, number INTEGER,
//          document STRING (title), leaf STRING (that a detail is a note on, else null), score FLOAT
// order:   kind, then score descending, then id
// source:  kg-neo4j
UNWIND ['kg_chunk_text', 'kg_treenode_text'] AS index
CALL (index) {
  CALL db.index.fulltext.queryNodes(index, $words, {limit: $fetch}) YIELD node, score
  WITH index, node, score,
       node.graph = $graph AND (node.tree IN $trees OR (node:KgChunk AND EXISTS { (node)<-[:HAS_LEAF]-(t:KgTree) WHERE t.id IN $trees })) AS kept
  ORDER BY score DESC, node.id
  WITH index, count(*) AS fetched, collect(CASE WHEN kept THEN {node: node, score: score} END) AS hits
  CALL (index, fetched, hits) {
    WITH hits WHERE fetched < $fetch OR size(hits) >= 3 * $top_k
    UNWIND hits AS hit
    RETURN hit.node AS node, hit.score AS score
    UNION ALL
    WITH index, fetched WHERE fetched = $fetch AND size(hits) < 3 * $top_k
    CALL db.index.fulltext.queryNodes(index, $words) YIELD node, score
    WHERE node.graph = $graph AND (node.tree IN $trees OR (node:KgChunk AND EXISTS { (node)<-[:HAS_LEAF]-(t:KgTree) WHERE t.id IN $trees }))
    RETURN node, score
  }
  RETURN node, score
}
WITH node, score, CASE WHEN node:Summary THEN 'summary' WHEN node:Detail THEN 'detail' ELSE 'chunk' END AS kind
WHERE kind IN $kinds AND NOT node.id IN $excluded
  AND ($aspects IS NULL OR node.aspect IS NULL OR node.aspect IN $aspects)
  AND (NOT node:Detail OR node.number < $details)
WITH kind, node, score ORDER BY kind, score DESC, node.id
WITH kind, collect({node: node, score: score})[..$top_k] AS hits
UNWIND hits AS hit
WITH kind, hit.node AS node, hit.score AS score
OPTIONAL MATCH (:KgTree {id: node.tree})-[:TREE_OF]->(own:KgDocument)
OPTIONAL MATCH (node)-[:IN_DOCUMENT]->(read:KgDocument)
OPTIONAL MATCH (node)-[:DETAILS]->(leaf)
RETURN node.id AS id, kind, node.text AS text, coalesce(node.aspect, '') AS aspect, coalesce(node.level, 0) AS level,
       coalesce(node.number, node.index, 0) AS number, coalesce(own.title, read.title) AS document, leaf.id AS leaf, score
ORDER BY kind, score DESC, id
