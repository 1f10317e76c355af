// title:   The fact between two entities
// purpose: A fact that is named by its ends and its type.
// mode:    read
// params:  $graph STRING (graph name, default main); $source STRING (entity); $target STRING (entity); $type STRING (of the relationship)
// columns: id STRING
// order:   id
// source:  kg-neo4j
MATCH (a:KgEntity {id: $source})-[r]->(b:KgEntity {id: $target})
WHERE a.graph = $graph AND b.graph = $graph AND type(r) = $type AND r.fact_id IS NOT NULL
RETURN r.fact_id AS id
ORDER BY id
