// title:   Chunks with rejected rows
// purpose: Where the model's answers broke the rules, and which chunks are not done.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 100)
// columns: Document STRING, Chunk INTEGER (its place in the document, from 0), Section STRING, RowsRead INTEGER,
//          RowsRejected INTEGER, Outcome STRING (done, empty, truncated, refused, failed or pending)
// order:   RowsRejected descending, then Document, Chunk, id
// source:  kg-neo4j
MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE c.graph = $graph AND d.graph = $graph AND (c.rows_rejected > 0 OR NOT coalesce(c.done, false))
RETURN d.title AS Document, c.index AS Chunk, coalesce(c.section, '') AS Section, coalesce(c.rows_read, 0) AS RowsRead,
       coalesce(c.rows_rejected, 0) AS RowsRejected, coalesce(c.outcome, 'pending') AS Outcome
ORDER BY RowsRejected DESC, Document, Chunk, c.id
LIMIT $limit
