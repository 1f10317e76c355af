// title:   Chunks that an answer cites
// purpose: Whether they are still there when the answer is given, word for word.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of chunks)
// columns: id STRING, text STRING
// order:   id
// source:  kg-neo4j
UNWIND $ids AS each
MATCH (c:KgChunk {id: each})
WHERE c.graph = $graph
RETURN c.id AS id, c.text AS text
ORDER BY id
