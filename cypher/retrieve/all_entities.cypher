// title:   All entities of a graph
// purpose: The nodes of a graph as a table, for pandas, networkx, CSV and GraphML.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: name STRING, type STRING, types LIST<STRING> (all of its types), description STRING, aliases LIST<STRING>,
//          evidence INTEGER (rows that mention it), community INTEGER (number, or null), pagerank FLOAT (or null), id STRING
// order:   evidence descending, then name, then id
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.graph = $graph
RETURN e.name AS name, e.type AS type, coalesce(e.types, [e.type]) AS types,
       coalesce(e.summary, e.description, e.role, '') AS description, coalesce(e.aliases, []) AS aliases,
       coalesce(e.evidence_count, 0) AS evidence, e.community AS community, e.pagerank AS pagerank, e.id AS id
ORDER BY evidence DESC, name, id
