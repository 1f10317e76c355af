// title:   Chunks and the keys of their documents
// purpose: Tells from a chunk that was found which passage of a corpus it is of.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: chunk STRING, key STRING
// order:   chunk
// source:  kg-neo4j
MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE c.graph = $graph
RETURN c.id AS chunk, d.key AS key
ORDER BY chunk
