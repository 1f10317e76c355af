// title:   What the vectors of chunks were made from
// purpose: A chunk whose hash is right is not embedded again.
// mode:    read
// params:  $ids LIST<STRING> (chunk ids)
// columns: id STRING, hash STRING, heading STRING
// order:   none
// source:  the embedding analysis
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
RETURN id, CASE WHEN c.embedding IS NOT NULL THEN c.embedding_hash END AS hash, c.heading AS heading
