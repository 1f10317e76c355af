// title:   What a walk over narrative trees and entities reaches
// purpose: Personalised PageRank from the nodes nearest to a question and the entities that it names: the leaves and
//          summaries where the walk is most often. No row where there is nothing to start from.
// mode:    read
// params:  $name STRING (name of the projection); $graph STRING (graph name, default main); $trees LIST<STRING> (ids);
//          $nodes LIST<STRING> (ids of leaves and summaries to start from); $entities LIST<STRING> (ids of entities likewise);
//          $kinds LIST<STRING> (of chunk, summary); $aspects LIST<STRING> (of summaries, or null: all);
//          $excluded LIST<STRING> (nodes that filters take away); $damping FLOAT (chance to walk on, default 0.7);
//          $iterations INTEGER (at most, >= 1, default 20); $tolerance FLOAT (change of a score that is none, default 1e-4);
//          $top_k INTEGER (nodes to return, >= 1, default 5)
// columns: id STRING, kind STRING (chunk or summary), text STRING, aspect STRING, level INTEGER, number INTEGER,
//          document STRING (title), leaf STRING (always null: no detail is on the way), score FLOAT
// order:   score descending, then id
// source:  kg-neo4j
CALL () {
  UNWIND $nodes AS id
  MATCH (source:KgTreeNode {id: id})
  RETURN source
  UNION
  UNWIND $nodes AS id
  MATCH (source:KgChunk {id: id})
  RETURN source
  UNION
  UNWIND $entities AS id
  MATCH (source:KgEntity {id: id})
  WHERE EXISTS {
    MATCH (source)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(:KgDocument)<-[:TREE_OF]-(t:KgTree)
    WHERE t.id IN $trees
  }
  RETURN source
}
WITH collect(source) AS sources WHERE sources <> []
CALL gds.pageRank.stream($name, {sourceNodes: sources, relationshipWeightProperty: 'weight', dampingFactor: $damping,
                                 maxIterations: $iterations, tolerance: $tolerance, concurrency: 1, logProgress: false})
YIELD nodeId, score
WHERE score > 0
WITH gds.util.asNode(nodeId) AS node, round(score, 9) AS score
WHERE node.graph = $graph AND NOT node:KgEntity AND NOT node.id IN $excluded
  AND CASE WHEN node:Summary THEN 'summary' ELSE 'chunk' END IN $kinds
  AND (NOT node:Summary OR $aspects IS NULL OR node.aspect IN $aspects)
  AND (node.tree IN $trees OR (node:KgChunk AND EXISTS { (node)<-[:HAS_LEAF]-(t:KgTree) WHERE t.id IN $trees }))
WITH node, score ORDER BY score DESC, node.id LIMIT $top_k
OPTIONAL MATCH (:KgTree {id: node.tree})-[:TREE_OF]->(own:KgDocument)
OPTIONAL MATCH (node)-[:IN_DOCUMENT]->(read:KgDocument)
RETURN node.id AS id, CASE WHEN node:Summary THEN 'summary' ELSE 'chunk' END AS kind, node.text AS text,
       coalesce(node.aspect, '') AS aspect, coalesce(node.level, 0) AS level, coalesce(node.number, node.index, 0) AS number,
       coalesce(own.title, read.title) AS document, null AS leaf, score
ORDER BY score DESC, id
