// title:   What is embedded of facts
// purpose: The summary or description; without one, the fact as words: name of the source, type, name of the target.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last node of the page before);
//          $limit INTEGER (nodes a page, >= 1)
// columns: id STRING, hash STRING, text STRING
// order:   id
// source:  the embedding analysis
MATCH (n:KgFact)
WHERE n.id > $after AND n.graph = $graph
WITH n ORDER BY n.id LIMIT $limit
OPTIONAL MATCH (a:KgEntity {id: coalesce(n.source_id, n.source_key)})
OPTIONAL MATCH (b:KgEntity {id: coalesce(n.target_id, n.target_key)})
RETURN n.id AS id, CASE WHEN n.embedding IS NOT NULL THEN n.embedding_hash END AS hash,
       coalesce(n.summary, n.description, a.name + ' ' + toLower(replace(n.type, '_', ' ')) + ' ' + b.name) AS text
ORDER BY id
