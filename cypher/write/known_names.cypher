// title:   Names that the chunks of a document gave
// purpose: What is carried over to chunks that are still to be extracted, from those that are done.
// mode:    read
// params:  $graph STRING (graph name, default main); $document_id STRING (document id)
// columns: chunk_id STRING, names LIST<LIST> (name and type of each mention)
// order:   chunk_id
// source:  W3
MATCH (d:KgDocument {id: $document_id, graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)<-[m:MENTIONED_IN]-(:KgEntity)
WITH c.id AS chunk_id, m
ORDER BY chunk_id, m.row
RETURN chunk_id, collect([m.name, m.type]) AS names
ORDER BY chunk_id
