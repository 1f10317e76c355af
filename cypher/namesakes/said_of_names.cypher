// title:   Roles and places that documents give of one entity
// purpose: Documents that give others may mean another bearer of the name.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: key STRING (a mention key of the entity), said LIST<LIST> (document id, title, roles, places)
// order:   key
// source:  kg-neo4j
MATCH (e:KgEntity)-[m:MENTIONED_IN]->(c:KgChunk)
WHERE e.graph = $graph
WITH e.id AS id, c.document_id AS document, min(m.key) AS key, collect(DISTINCT m.role) AS roles, collect(DISTINCT m.location) AS places
MATCH (d:KgDocument {id: document})
WITH id, key, document, d.title AS title, roles, places
ORDER BY id, document
WITH id, min(key) AS key, collect([document, title, roles, places]) AS said
WHERE size(said) > 1
RETURN key, said
ORDER BY key
