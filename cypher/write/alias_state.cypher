// title:   Names and aliases of entities
// purpose: Which ones differ from what the evidence gives is found by comparing these.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, name STRING, aliases LIST<STRING>
// order:   none
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.graph = $graph
RETURN e.id AS id, e.name AS name, coalesce(e.aliases, []) AS aliases
