// title:   Where chunks are from
// purpose: The source of each and, of a PDF, where its pages begin: what LangChain is given with a passage.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of chunks)
// columns: id STRING, source STRING (address, else what was named), start INTEGER (in the document),
//          pages LIST<INTEGER> (where each begins; null: no pages)
// order:   id
// source:  kg-neo4j
UNWIND $ids AS each
MATCH (c:KgChunk {id: each})-[:IN_DOCUMENT]->(d:KgDocument)
WHERE c.graph = $graph
RETURN c.id AS id, coalesce(d.url, d.source) AS source, c.start AS start, d.pages AS pages
ORDER BY id
