// title:   What a person decides on at an entity
// purpose: Under which keys and names documents mention it, and which documents do.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities); $most INTEGER (documents, >= 1, default 60)
// columns: id STRING, name STRING, type STRING, names LIST<LIST> (key, name), documents LIST<LIST> (id, title)
// order:   id
// source:  kg-neo4j
MATCH (e:KgEntity)
WHERE e.id IN $ids AND e.graph = $graph
RETURN e.id AS id, e.name AS name, e.type AS type,
       COLLECT {
         MATCH (e)-[m:MENTIONED_IN]->(:KgChunk)
         WITH m.key AS key, m.name AS name, count(*) AS mentions ORDER BY mentions DESC, key, name
         RETURN [key, name]
       } AS names,
       COLLECT {
         MATCH (e)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
         WITH DISTINCT d ORDER BY d.key, d.id LIMIT $most
         RETURN [d.id, coalesce(d.title, d.key)]
       } AS documents
ORDER BY id
