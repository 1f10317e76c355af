// title:   Answers already paid for
// purpose: What a model said about the chunks of documents under one configuration.
// mode:    read
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (document ids);
//          $config_hash STRING (configuration of the extraction)
// columns: chunk_id STRING, answer MAP
// order:   chunk_id, then round
// source:  kg-neo4j
UNWIND $documents AS id
MATCH (d:KgDocument {id: id, graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)<-[:ANSWERS]-(a:KgAnswer)
WHERE a.config_hash = $config_hash
RETURN c.id AS chunk_id, properties(a) AS answer
ORDER BY chunk_id, a.round
