// title:   Chunks that an answer cites
// purpose: Whether they are still there when the answer is given, word for word; and of a PDF where its pages begin.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of chunks)
// columns: id STRING, text STRING, start INTEGER (in the document), pages LIST<INTEGER> (where each begins; null: no pages)
// order:   id
// source:  kg-neo4j
UNWIND $ids AS each
MATCH (c:KgChunk {id: each})
WHERE c.graph = $graph
RETURN c.id AS id, c.text AS text, c.start AS start,
       head(COLLECT { MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument) RETURN d.pages }) AS pages
ORDER BY id
