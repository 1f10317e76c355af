// title:   Passages of a document
// purpose: A chunk and its neighbours, or some chunks of a document from a place on.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (of a document or of a chunk);
//          $before INTEGER (chunks before the one that is named, >= 0, default 1);
//          $skip INTEGER (chunks of a document to leave out, >= 0, default 0); $limit INTEGER (chunks, >= 1, default 3)
// columns: document STRING (title), document_id STRING, pages LIST<INTEGER> (where each begins; null: no pages), total INTEGER (chunks of the document),
//          id STRING, index INTEGER, start INTEGER (in the document), line INTEGER (of a table; null: none), section STRING, text STRING
// order:   index
// source:  kg-neo4j
CALL () {
  MATCH (d:KgDocument {id: $id})
  WHERE d.graph = $graph
  RETURN d, $skip AS first
  UNION
  MATCH (c:KgChunk {id: $id})-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE c.graph = $graph AND d.graph = $graph
  RETURN d, $skip + CASE WHEN c.index < $before THEN 0 ELSE c.index - $before END AS first
}
WITH d, first, COUNT { (:KgChunk)-[:IN_DOCUMENT]->(d) } AS total
MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
WHERE c.graph = $graph AND c.index >= first AND c.index < first + $limit
RETURN d.title AS document, d.id AS document_id, d.pages AS pages, total,
       c.id AS id, c.index AS index, c.start AS start, c.line AS line, coalesce(c.section, '') AS section, c.text AS text
ORDER BY index
