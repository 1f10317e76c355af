// title:   Chunks of a document, for its tree
// purpose: What leaves are made of, in reading order, with the hash of what their vectors were made from.
// mode:    read
// params:  $graph STRING (graph name, default main); $document_id STRING (document id)
// columns: id STRING, text STRING, heading STRING, token_count INTEGER, start INTEGER, end INTEGER, hash STRING
// order:   place in the document, then id
// source:  the narrative thesis
MATCH (d:KgDocument {id: $document_id})<-[:IN_DOCUMENT]-(c:KgChunk)
WHERE d.graph = $graph AND c.graph = $graph
RETURN c.id AS id, c.text AS text, c.heading AS heading, c.token_count AS token_count, c.start AS start, c.end AS end,
       CASE WHEN c.embedding IS NOT NULL THEN c.embedding_hash END AS hash
ORDER BY c.index, c.id
