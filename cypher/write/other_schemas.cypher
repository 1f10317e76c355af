// title:   Other versions of a schema
// purpose: One graph has one schema; what a later version may change, a load decides.
// mode:    read
// params:  $graph STRING (graph name, default main); $schema_hash STRING (schema of this load)
// columns: schema STRING, schema_text STRING
// order:   schema, schema_text
// source:  kg-neo4j
MATCH (d:KgDocument {graph: $graph})
WHERE d.schema_hash <> $schema_hash
RETURN DISTINCT d.schema AS schema, d.schema_text AS schema_text
ORDER BY schema, schema_text
