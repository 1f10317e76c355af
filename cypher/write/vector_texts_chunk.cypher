// title:   What is embedded of chunks
// purpose: The heading and the text; a page of nodes with the hash of what their vector was made from.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last node of the page before);
//          $limit INTEGER (nodes a page, >= 1)
// columns: id STRING, hash STRING, heading STRING, text STRING
// order:   id
// source:  the embedding analysis
MATCH (n:KgChunk)
WHERE n.id > $after AND n.graph = $graph
RETURN n.id AS id, CASE WHEN n.embedding IS NOT NULL THEN n.embedding_hash END AS hash,
       n.heading AS heading, n.text AS text
ORDER BY id LIMIT $limit
