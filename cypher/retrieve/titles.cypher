// title:   Titles of documents
// purpose: Near ones are suggested where nothing has the name in a filter.
// mode:    read
// params:  $graph STRING (graph name, default main); $most INTEGER (titles, >= 1, default 10000)
// columns: title STRING
// order:   title
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph
WITH d ORDER BY d.title, d.id LIMIT $most
RETURN coalesce(d.title, '') AS title
ORDER BY title
