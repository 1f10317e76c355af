// title:   Where a walk without a projection begins
// purpose: The entities, and the first chunks of the documents, that a question names.
// mode:    read
// params:  $entities LIST<STRING> (ids); $documents LIST<STRING> (ids); $chunks LIST<STRING> (ids)
// columns: id STRING, kind STRING (entity or chunk), mentions INTEGER (ways from an entity to chunks, else null),
//          names LIST<STRING> (of an entity, else null)
// order:   kind, then id
// source:  kg-neo4j
CALL () {
  UNWIND $entities AS id
  MATCH (e:KgEntity {id: id})
  RETURN id, 'entity' AS kind, COUNT { (e)-[:MENTIONED_IN]->() } AS mentions, [e.name] + coalesce(e.aliases, []) AS names
  UNION
  UNWIND $documents AS document
  MATCH (:KgDocument {id: document})<-[:IN_DOCUMENT]-(c:KgChunk {index: 0})
  RETURN c.id AS id, 'chunk' AS kind, null AS mentions, null AS names
  UNION
  UNWIND $chunks AS id
  MATCH (:KgChunk {id: id})
  RETURN id, 'chunk' AS kind, null AS mentions, null AS names
}
RETURN id, kind, mentions, names
ORDER BY kind, id
