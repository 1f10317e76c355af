// title:   Vectors of chunks
// purpose: What leaves that are chunks are clustered by.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (chunk ids)
// columns: id STRING, embedding LIST<FLOAT>
// order:   none
// source:  the narrative thesis
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
WHERE c.graph = $graph AND c.embedding IS NOT NULL
RETURN id, c.embedding AS embedding
