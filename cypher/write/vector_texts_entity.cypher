// title:   What is embedded of entities
// purpose: Name and summary or description; without a description the role, without that the name alone.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last node of the page before);
//          $limit INTEGER (nodes a page, >= 1)
// columns: id STRING, hash STRING, text STRING
// order:   id
// source:  the embedding analysis
MATCH (n:KgEntity)
WHERE n.id > $after AND n.graph = $graph
WITH n, coalesce(n.summary, n.description, n.role) AS words
RETURN n.id AS id, CASE WHEN n.embedding IS NOT NULL THEN n.embedding_hash END AS hash,
       CASE WHEN words IS NULL THEN n.name ELSE n.name + ': ' + words END AS text
ORDER BY id LIMIT $limit
