// title:   All entities of a graph
// purpose: The nodes of a graph as a table, for pandas and networkx.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, name STRING, type STRING, description STRING, aliases LIST<STRING>, evidence INTEGER (rows that
//          mention it), community INTEGER (number, or null), pagerank FLOAT (or null)
// order:   id
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.graph = $graph
RETURN e.id AS id, e.name AS name, e.type AS type, coalesce(e.summary, e.description, e.role, '') AS description,
       coalesce(e.aliases, []) AS aliases, coalesce(e.evidence_count, 0) AS evidence, e.community AS community,
       e.pagerank AS pagerank
ORDER BY id
