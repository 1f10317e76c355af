// title:   Those of some chunks, entities and facts that filters leave
// purpose: Tests what was found without a query that tests it.
// mode:    read
// params:  $ids LIST<STRING> (of chunks, entities and facts)
// columns: id STRING
// order:   id
// source:  kg-neo4j
CALL () {
  UNWIND $ids AS id
  MATCH (c:KgChunk {id: id})
  WHERE true /* left: chunk c */
  RETURN id
  UNION
  UNWIND $ids AS id
  MATCH (e:KgEntity {id: id})
  WHERE true /* left: entity e */
  RETURN id
  UNION
  UNWIND $ids AS id
  MATCH (f:KgFact {id: id})
  WHERE true /* left: fact f */
  RETURN id
}
RETURN id
ORDER BY id
