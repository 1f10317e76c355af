// title:   Titles of documents
// purpose: Names under which the subject of a document is known.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: title STRING
// order:   title
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph AND EXISTS { (:KgChunk)-[:IN_DOCUMENT]->(d) }
RETURN DISTINCT d.title AS title
ORDER BY title
