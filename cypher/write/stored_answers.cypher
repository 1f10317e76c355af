// title:   Answers already paid for
// purpose: What a model said about the chunks of a document under one configuration.
// mode:    read
// params:  $graph STRING (graph name, default main); $document_id STRING (document id);
//          $config_hash STRING (configuration of the extraction)
// columns: chunk_id STRING, answer MAP
// order:   chunk_id, then round
// source:  kg-neo4j
MATCH (d:KgDocument {id: $document_id, graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)<-[:ANSWERS]-(a:KgAnswer)
WHERE a.config_hash = $config_hash
RETURN c.id AS chunk_id, properties(a) AS answer
ORDER BY chunk_id, a.round
