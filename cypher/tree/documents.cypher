// title:   Documents that trees can be built of
// purpose: Which documents there are, under which names, and whether they have text.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, title STRING, key STRING, source STRING, tokeniser STRING, chunks INTEGER
// order:   title, then id
// source:  the narrative thesis
MATCH (d:KgDocument)
WHERE d.graph = $graph
RETURN d.id AS id, d.title AS title, d.key AS key, d.source AS source, d.tokeniser AS tokeniser,
       COUNT { (:KgChunk)-[:IN_DOCUMENT]->(d) } AS chunks
ORDER BY title, id
