// title:   All relationships between the entities of a graph
// purpose: The edges of a graph as a table, for pandas and networkx.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: source STRING (id), type STRING, target STRING (id), evidence INTEGER (rows that state it), fact_id STRING
// order:   source, then type, then target, then fact_id
// source:  kg-neo4j
MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
WHERE a.graph = $graph AND b.graph = $graph
RETURN a.id AS source, type(r) AS type, b.id AS target, coalesce(r.evidence_count, 1) AS evidence, r.fact_id AS fact_id
ORDER BY source, type, target, fact_id
