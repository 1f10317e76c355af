// title:   One document of each version of a schema
// purpose: What the schema of a graph is read from. All documents would be too many to sort in the server.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, title STRING, source STRING, kind STRING, key STRING,
//          url STRING, schema STRING, schema_text STRING, language STRING, author STRING, date STRING,
//          version STRING, revision INTEGER, origin STRING, config_hash STRING, answers_hash STRING, options STRING, chunks INTEGER, done INTEGER
// order:   id
// source:  kg-neo4j
MATCH (each:KgDocument {graph: $graph})
WITH each.schema AS schema, each.schema_text AS schema_text, min(each.id) AS first
MATCH (d:KgDocument {id: first})
WHERE d.graph = $graph
OPTIONAL MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
RETURN d.id AS id, d.title AS title, d.source AS source, d.kind AS kind, d.key AS key, d.url AS url, d.schema AS schema,
       d.schema_text AS schema_text, d.language AS language, coalesce(d.author, '') AS author, coalesce(d.date, '') AS date,
       coalesce(d.version, '') AS version, d.revision AS revision, d.origin AS origin, d.config_hash AS config_hash, d.answers_hash AS answers_hash, d.options AS options,
       count(c) AS chunks, count(CASE WHEN c.done THEN 1 END) AS done
ORDER BY id
