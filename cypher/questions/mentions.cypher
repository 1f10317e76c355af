// title:   Where an entity is mentioned
// purpose: Answers "Which documents mention X?": documents, with how often and the first chunk.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $limit INTEGER (rows, >= 1, default 201)
// columns: Document STRING, Mentions INTEGER (rows of evidence), Chunks INTEGER, Ids LIST<STRING> (the first chunks, at most three)
// order:   Mentions descending, then Document, then ids
// source:  kg-neo4j
MATCH (n:KgEntity)-[m:MENTIONED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE n.id IN $x AND n.graph = $graph AND c.graph = $graph AND d.graph = $graph
  AND true /* left: chunk c */
WITH d, c, count(m) AS rows ORDER BY c.index, c.id
WITH d, sum(rows) AS Mentions, count(c) AS Chunks, collect(c.id)[..3] AS Ids
ORDER BY Mentions DESC, d.title, d.id
LIMIT $limit
RETURN d.title AS Document, Mentions, Chunks, Ids
