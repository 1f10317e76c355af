// title:   Pages of the chunks that an answer cites
// purpose: Where the pages of a PDF begin, for the page of a quote. Chunks of documents without pages are left out.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of chunks)
// columns: id STRING, start INTEGER (of the chunk in its document), pages LIST<INTEGER> (where each page begins)
// order:   id
// source:  kg-neo4j
UNWIND $ids AS each
MATCH (c:Chunk {id: each})-[:IN_DOCUMENT]->(d:Document)
WHERE c.graph = $graph AND d.pages IS NOT NULL
RETURN c.id AS id, c.start AS start, d.pages AS pages
ORDER BY id
