// title:   Chunks of a document, whole
// purpose: What stored answers are read against again.
// mode:    read
// params:  $graph STRING (graph name, default main); $document_id STRING (document id);
//          $rejected_only BOOLEAN (only chunks with rejected rows or values that were left out)
// columns: chunk MAP
// order:   index, then id
// source:  kg-neo4j
MATCH (d:KgDocument {id: $document_id, graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
WHERE NOT $rejected_only OR c.rows_rejected > 0 OR c.values_dropped > 0
RETURN c {.id, .document_id, .graph, .index, .text, .token_count, .start, .end, .line, section: coalesce(c.section, '')} AS chunk
ORDER BY c.index, c.id
