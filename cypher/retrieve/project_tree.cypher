// title:   Project narrative trees and the entities of their texts
// purpose: Leaves with the leaves beside them, summaries with what they were made from, and entities with the chunks
//          that mention them. The way between a chunk and an entity is the wider the rarer the entity is.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (name of the projection); $tree STRING (of the trees);
//          $kin FLOAT (width of the way between a summary and its parts, beside 1 to the next leaf; above 0, default 0.3);
//          $mention FLOAT (of the way between a chunk and the rarest entities in it, above 0, default 0.5)
// columns: projection MAP
// order:   none
// source:  kg-neo4j
CALL () {
  MATCH (c:KgChunk) WHERE c.graph = $graph
  RETURN toFloat(count(c)) AS chunks
}
CALL (chunks) {
  MATCH (t:KgTree {name: $tree})<-[:IN_TREE]-(s:KgTreeNode)-[r:SUMMARISES]->(part)
  WHERE t.graph = $graph AND t.complete
  UNWIND [[s, part], [part, s]] AS way
  RETURN way[0] AS source, way[1] AS target, r.probability * $kin AS weight
  UNION ALL
  MATCH (t:KgTree {name: $tree})-[:HAS_LEAF]->(c:KgChunk)-[:NEXT_CHUNK]-(beside:KgChunk)
  WHERE t.graph = $graph AND t.complete
  RETURN c AS source, beside AS target, 1.0 AS weight
  UNION ALL
  MATCH (t:KgTree {name: $tree})-[:HAS_LEAF]->(p:KgTreeNode)
  WHERE t.graph = $graph AND t.complete
  WITH t, p ORDER BY t.id, p.index
  WITH t, collect(p) AS passages
  UNWIND range(0, size(passages) - 2) AS place
  UNWIND [[passages[place], passages[place + 1]], [passages[place + 1], passages[place]]] AS way
  RETURN way[0] AS source, way[1] AS target, 1.0 AS weight
  UNION ALL
  MATCH (t:KgTree {name: $tree})-[:HAS_LEAF]->(p:KgTreeNode)-[:OVERLAPS]->(c:KgChunk)
  WHERE t.graph = $graph AND t.complete
  UNWIND [[p, c], [c, p]] AS way
  RETURN way[0] AS source, way[1] AS target, $kin AS weight
  UNION ALL
  MATCH (t:KgTree {name: $tree})-[:TREE_OF]->(:KgDocument)<-[:IN_DOCUMENT]-(c:KgChunk)<-[:MENTIONED_IN]-(e:KgEntity)
  WHERE t.graph = $graph AND t.complete
  WITH chunks, e, collect(DISTINCT c) AS mentions
  WITH e, mentions, log(1 + chunks / size(mentions)) / log(1 + chunks) AS rarity
  UNWIND mentions AS c
  UNWIND [[c, e], [e, c]] AS way
  RETURN way[0] AS source, way[1] AS target, rarity * $mention AS weight
  UNION ALL
  MATCH (t:KgTree {name: $tree})-[:HAS_LEAF]->(leaf)
  WHERE t.graph = $graph AND t.complete
  RETURN leaf AS source, null AS target, null AS weight // a leaf that is joined to nothing may still be near
}
RETURN gds.graph.project($name, source, target, {relationshipProperties: {weight: weight}}, {readConcurrency: 1}) AS projection
