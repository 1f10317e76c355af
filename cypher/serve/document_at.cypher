// title:   A document by its id or by that of a chunk
// purpose: What stands over the text of a document, and which chunk was meant.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (of a document or of a chunk);
//          $most INTEGER (sections, >= 1, default 200)
// columns: id STRING, title STRING, kind STRING, key STRING, url STRING, language STRING, pages LIST<INTEGER> (where each begins; null: no pages), sha256 STRING (of the text),
//          chunk INTEGER (index of the chunk that was meant; null: none), total INTEGER (chunks),
//          sections LIST<LIST> (section and index of its first chunk, in the order of the text)
// order:   none
// source:  kg-neo4j
CALL () {
  MATCH (d:KgDocument {id: $id})
  WHERE d.graph = $graph
  RETURN d, null AS chunk
  UNION
  MATCH (c:KgChunk {id: $id})-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE c.graph = $graph AND d.graph = $graph
  RETURN d, c.index AS chunk
}
RETURN d.id AS id, d.title AS title, d.kind AS kind, d.key AS key, d.url AS url, d.language AS language, d.pages AS pages, d.sha256 AS sha256,
       chunk, COUNT { (:KgChunk)-[:IN_DOCUMENT]->(d) } AS total,
       COLLECT {
         MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
         WHERE coalesce(c.section, '') <> ''
         WITH c.section AS section, min(c.index) AS first
         RETURN [section, first] ORDER BY first LIMIT $most
       } AS sections
