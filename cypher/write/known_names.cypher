// title:   Names that the chunks of documents gave
// purpose: What is carried over to chunks that are still to be extracted, from those that are done.
// mode:    read
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (document ids)
// columns: chunk_id STRING, names LIST<LIST> (name and type of each mention)
// order:   chunk_id
// source:  the graph article
UNWIND $documents AS id
MATCH (d:KgDocument {id: id, graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)<-[m:MENTIONED_IN]-(:KgEntity)
WITH c.id AS chunk_id, m
ORDER BY chunk_id, m.row
RETURN chunk_id, collect([m.name, m.type]) AS names
ORDER BY chunk_id
