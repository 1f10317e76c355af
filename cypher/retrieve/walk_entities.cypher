// title:   Ways from entities to the chunks that mention them
// purpose: One step of a walk without a projection: what chunks gain from all these entities together, the best first. Entities
//          that very many chunks mention only add to what other entities lead to.
// mode:    read
// params:  $gains LIST<LIST> (id of an entity, and what each of its chunks gains from it); $hubs LIST<LIST> (likewise);
//          $most INTEGER (chunks to return, >= 1, default 1000)
// columns: id STRING, gain FLOAT
// order:   gain descending, then id
// source:  kg-neo4j
UNWIND $gains AS each
MATCH (e:KgEntity {id: each[0]})
CALL (e) {
  MATCH (e)-[:MENTIONED_IN]->(c:KgChunk)
  RETURN DISTINCT c
}
WITH c, sum(each[1]) AS gain
CALL (c) {
  WITH c WHERE $hubs <> []
  MATCH (c)<-[:MENTIONED_IN]-(other:KgEntity)
  WITH DISTINCT other
  UNWIND [hub IN $hubs WHERE hub[0] = other.id] AS hub
  RETURN sum(hub[1]) AS more
}
WITH c, gain + more AS gain ORDER BY gain DESC LIMIT $most // the others are not looked up
RETURN c.id AS id, gain
ORDER BY gain DESC, id
