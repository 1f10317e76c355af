// title:   Names of entities and titles of documents
// purpose: Which documents are about an entity is found by comparing these.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: kind STRING (entity or document), id STRING, names LIST<STRING>
// order:   kind, then id
// source:  kg-neo4j
CALL () {
  MATCH (e:KgEntity) WHERE e.graph = $graph
  RETURN 'entity' AS kind, e.id AS id, [e.name] + coalesce(e.aliases, []) AS names
  UNION ALL
  MATCH (d:KgDocument) WHERE d.graph = $graph
  RETURN 'document' AS kind, d.id AS id, [d.title] + coalesce(d.redirects, []) AS names
}
WITH * WHERE id IS NOT NULL AND names[0] IS NOT NULL // a node that was deleted meanwhile
RETURN kind, id, names
ORDER BY kind, id
