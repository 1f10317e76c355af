// title:   Ways from chunks to the entities in them
// purpose: One step of a walk without a projection.
// mode:    read
// params:  $ids LIST<STRING> (of chunks)
// columns: chunk STRING, entity STRING, mentions INTEGER (ways from the entity to chunks), names LIST<STRING> (of the entity)
// order:   chunk, then entity
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})<-[:MENTIONED_IN]-(e:KgEntity)
WITH DISTINCT id AS chunk, e
RETURN chunk, e.id AS entity, COUNT { (e)-[:MENTIONED_IN]->() } AS mentions, [e.name] + coalesce(e.aliases, []) AS names
ORDER BY chunk, entity
