// title:   Project one graph for spreading from what a question names
// purpose: Entities and the chunks that mention them. The way from a chunk to an entity is the wider the rarer the entity
//          is, and twice as wide where a document is about it; the way back is narrower, but for the first chunk of a
//          document that is about the entity.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (name of the projection);
//          $own LIST<LIST> (entity id and document id, where a document's title is a name of the entity);
//          $back FLOAT (width of the way back, above 0, default 0.3);
//          $passage FLOAT (width of the way from an entity to the passage about it, default 3.0);
//          $titled FLOAT (how much wider the way is to an entity with a passage of its own, default 1.0)
// columns: projection MAP
// order:   none
// source:  kg-neo4j
CALL () {
  MATCH (c:KgChunk) WHERE c.graph = $graph
  RETURN toFloat(count(c)) AS chunks
}
CALL (chunks) {
  MATCH (e:KgEntity)-[:MENTIONED_IN]->(c:KgChunk) WHERE e.graph = $graph
  WITH chunks, e, collect(DISTINCT c) AS mentions
  WITH e, mentions, log(1 + chunks / size(mentions)) / log(1 + chunks) AS rarity
  UNWIND mentions AS c
  UNWIND [[c, e, rarity], [e, c, rarity * $back]] AS way
  RETURN way[0] AS source, way[1] AS target, way[2] AS weight
  UNION ALL
  UNWIND $own AS pair
  WITH DISTINCT chunks, pair[0] AS id
  MATCH (e:KgEntity {id: id})-[:MENTIONED_IN]->(c:KgChunk)
  WITH chunks, e, collect(DISTINCT c) AS mentions
  WITH e, mentions, log(1 + chunks / size(mentions)) / log(1 + chunks) AS rarity
  UNWIND mentions AS c
  RETURN c AS source, e AS target, rarity * $titled AS weight
  UNION ALL
  UNWIND $own AS pair
  MATCH (e:KgEntity {id: pair[0]})
  MATCH (:KgDocument {id: pair[1]})<-[:IN_DOCUMENT]-(c:KgChunk {index: 0})
  UNWIND [[e, c, $passage], [c, e, $passage / 6]] AS way
  RETURN way[0] AS source, way[1] AS target, way[2] AS weight
  UNION ALL
  MATCH (c:KgChunk)
  WHERE c.graph = $graph AND NOT EXISTS { (c)<-[:MENTIONED_IN]-() } // a question may still name its document
  RETURN c AS source, null AS target, null AS weight
}
RETURN gds.graph.project($name, source, target, {relationshipProperties: {weight: weight}}, {readConcurrency: 1}) AS projection
