// title:   Entities of texts that may be written as keys
// purpose: A text may say "F1023" and mean the node with this key.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: entity STRING (id), name STRING, mentions INTEGER, documents INTEGER
// order:   none
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.graph = $graph AND e.table_key IS NULL AND e.name =~ '\\S*[0-9]\\S*'
MATCH (e)-[m:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(text:KgDocument)
WHERE text.adopted IS NULL
RETURN e.id AS entity, e.name AS name, count(m) AS mentions, count(DISTINCT text) AS documents
