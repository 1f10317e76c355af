// title:   Entities by id
// purpose: What is shown of an entity beside its facts and passages.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities)
// columns: id STRING, name STRING, type STRING, aliases LIST<STRING>, description STRING, evidence INTEGER (rows that
//          mention it), documents INTEGER (that mention it), tables INTEGER (among those), degree INTEGER (relationships), place INTEGER (in $ids)
// order:   place
// source:  kg-neo4j
UNWIND range(0, size($ids) - 1) AS place
MATCH (e:KgEntity {id: $ids[place]})
WHERE e.graph = $graph
RETURN e.id AS id, e.name AS name, e.type AS type, coalesce(e.aliases, []) AS aliases,
       coalesce(e.summary, e.description, e.role, '') AS description, coalesce(e.evidence_count, 0) AS evidence,
       COUNT { MATCH (e)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument) RETURN DISTINCT d } AS documents,
       COUNT { MATCH (e)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument) WHERE d.kind IN ['table', 'adopted'] RETURN DISTINCT d } AS tables,
       COUNT { (e)-[:!MENTIONED_IN&!IN_COMMUNITY]-(:KgEntity) } AS degree, place
ORDER BY place
