// title:   What a walk from the things named reaches
// purpose: Personalised PageRank from the entities, and from the first chunks of the documents, that a question names.
//          No row where there is nothing to start from.
// mode:    read
// params:  $name STRING (name of the projection); $entities LIST<STRING> (ids); $documents LIST<STRING> (ids);
//          $chunks LIST<STRING> (ids); $damping FLOAT (chance to walk on, default 0.85);
//          $most INTEGER (nodes to look at, >= 1, default 3000); $first INTEGER (of these first, >= 1, default 600); $iterations INTEGER (at most, >= 1, default 20);
//          $tolerance FLOAT (change of a score that is none, above 0, default 1e-4); $keep INTEGER (nodes of each kind, >= 1, default 60)
// columns: kind STRING (chunk or entity), id STRING, score FLOAT
// order:   kind, then score descending, then id
// source:  kg-neo4j
CALL () {
  UNWIND $entities AS id
  MATCH (source:KgEntity {id: id})
  RETURN source
  UNION
  UNWIND $documents AS id
  MATCH (:KgDocument {id: id})<-[:IN_DOCUMENT]-(source:KgChunk {index: 0})
  RETURN source
  UNION
  UNWIND $chunks AS id
  MATCH (source:KgChunk {id: id})
  RETURN source
}
WITH collect(source) AS sources WHERE sources <> []
CALL gds.pageRank.stream($name, {sourceNodes: sources, relationshipWeightProperty: 'weight', dampingFactor: $damping,
                                 maxIterations: $iterations, tolerance: $tolerance, concurrency: 1, logProgress: false})
YIELD nodeId, score
WHERE score > 0
WITH nodeId, score ORDER BY score DESC LIMIT $most // the others are not looked up
WITH collect({id: nodeId, score: round(score, 9)}) AS found
CALL (found) { // the first of them are enough where they have as many of each kind as are kept, and better than the rest
  UNWIND found[..$first] AS one
  WITH found, found[$first].score AS rest, one.score AS score, gds.util.asNode(one.id):KgChunk AS is_chunk
  WITH found, count(CASE WHEN score > rest AND is_chunk THEN 1 END) AS chunks, count(CASE WHEN score > rest AND NOT is_chunk THEN 1 END) AS entities
  RETURN CASE WHEN chunks >= $keep AND entities >= $keep THEN found[..$first] ELSE found END AS best
}
UNWIND best AS one
WITH gds.util.asNode(one.id) AS node, one.score AS score
ORDER BY score DESC, node.id
WITH collect({node: node, score: score}) AS reached
CALL (reached) { // the best first, so that no more are tested than are kept
  UNWIND reached AS one
  WITH one.node AS node, one.score AS score
  WHERE node:KgChunk AND true /* left: chunk node */
  RETURN 'chunk' AS kind, node.id AS id, score LIMIT $keep
  UNION ALL
  UNWIND reached AS one
  WITH one.node AS node, one.score AS score
  WHERE NOT node:KgChunk AND true /* left: entity node */
  RETURN 'entity' AS kind, node.id AS id, score LIMIT $keep
}
RETURN kind, id, score
ORDER BY kind, score DESC, id
