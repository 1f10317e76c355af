// title:   Documents that speak of something
// purpose: Of some documents those that are named themselves or mention one of the entities.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities and documents);
//          $documents LIST<STRING> (ids of those to choose from)
// columns: document STRING (id)
// order:   document
// source:  kg-neo4j
UNWIND $documents AS id
MATCH (d:KgDocument {id: id})
WHERE d.graph = $graph
  AND (d.id IN $ids OR EXISTS { (d)<-[:IN_DOCUMENT]-(:KgChunk)<-[:MENTIONED_IN]-(e:KgEntity) WHERE e.id IN $ids })
RETURN DISTINCT d.id AS document
ORDER BY document
