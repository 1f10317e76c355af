// title:   Chunks that an answer cites
// purpose: Whether they are still there when the answer is given, word for word; where the pages of a PDF begin, and the line of a table.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of chunks)
// columns: id STRING, text STRING, start INTEGER (in the document), line INTEGER (of a table; null: none),
//          pages LIST<INTEGER> (where each begins; null: no pages)
// order:   id
// source:  kg-neo4j
UNWIND $ids AS each
MATCH (c:KgChunk {id: each})
WHERE c.graph = $graph
RETURN c.id AS id, c.text AS text, c.start AS start, c.line AS line,
       head(COLLECT { MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument) RETURN d.pages }) AS pages
ORDER BY id
