// title:   Documents that chunks are from
// purpose: What an answer rests on, and the hash of its text: tells later whether that has changed.
// mode:    read
// params:  $graph STRING (graph name, default main); $chunks LIST<STRING> (chunk ids); $ids LIST<STRING> (document ids)
// columns: chunk STRING (null for a document of $ids), id STRING, key STRING, sha256 STRING
// order:   chunk, then id
// source:  kg-neo4j
CALL () {
  UNWIND $chunks AS chunk
  MATCH (c:KgChunk {id: chunk})-[:IN_DOCUMENT]->(d:KgDocument)
  RETURN chunk, d
UNION
  UNWIND $ids AS id
  MATCH (d:KgDocument {id: id})
  RETURN null AS chunk, d
}
WITH chunk, d WHERE d.graph = $graph
RETURN chunk, d.id AS id, d.key AS key, d.sha256 AS sha256
ORDER BY chunk, id
