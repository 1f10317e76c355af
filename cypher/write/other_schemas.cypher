// title:   Documents loaded under another schema
// purpose: One graph has one schema, so that its merged values have one meaning.
// mode:    read
// params:  $graph STRING (graph name, default main); $schema_hash STRING (schema of this load)
// columns: schema STRING, documents INTEGER
// order:   schema
// source:  kg-neo4j
MATCH (d:KgDocument {graph: $graph})
WHERE d.schema_hash <> $schema_hash
RETURN d.schema AS schema, count(*) AS documents
ORDER BY schema
