// title:   A page of the documents of a graph
// purpose: What is loaded, some documents at a time, and how far each is done.
// mode:    read
// params:  $graph STRING (graph name, default main); $words STRING (in the title or the key, in lower case; empty: all);
//          $skip INTEGER (documents before the page, >= 0, default 0); $limit INTEGER (documents, >= 1, default 20)
// columns: id STRING, title STRING, kind STRING, key STRING, url STRING, language STRING, chunks INTEGER, done INTEGER, total INTEGER (documents in all)
// order:   key, then id
// source:  kg-neo4j
CALL () {
  MATCH (d:KgDocument {graph: $graph})
  WHERE $words = '' OR toLower(d.title) CONTAINS $words OR toLower(d.key) CONTAINS $words
  RETURN count(d) AS total
}
MATCH (d:KgDocument {graph: $graph})
WHERE $words = '' OR toLower(d.title) CONTAINS $words OR toLower(d.key) CONTAINS $words
WITH d, total ORDER BY d.key, d.id SKIP $skip LIMIT $limit
RETURN d.id AS id, d.title AS title, d.kind AS kind, d.key AS key, d.url AS url, d.language AS language,
       COUNT { (:KgChunk)-[:IN_DOCUMENT]->(d) } AS chunks,
       COUNT { MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d) WHERE c.done } AS done, total
ORDER BY key, id
