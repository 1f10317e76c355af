// title:   A sample of chunks
// purpose: Shows a model what a graph is about. The order of ids, which are hashes, is as good as chance, and the same
//          every time.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (chunks, >= 1, default 10)
// columns: text STRING, title STRING (of the document)
// order:   id of the chunk
// source:  the length study
MATCH (d:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
WITH c, d ORDER BY c.id LIMIT $limit
RETURN c.text AS text, d.title AS title
ORDER BY c.id
