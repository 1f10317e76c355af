// title:   Names of an entity in documents
// purpose: Under which keys its mentions are.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (entity)
// columns: key STRING, names LIST<LIST> (name, type, type as it is written or null, mentions)
// order:   key
// source:  kg-neo4j
MATCH (e:KgEntity {id: $id})-[m:MENTIONED_IN]->(:KgChunk)
WHERE e.graph = $graph
WITH m.key AS key, [m.name, m.type, m.original_type] AS name, count(*) AS mentions
RETURN key, collect(name + [mentions]) AS names
ORDER BY key
