// title:   Names of entities
// purpose: Says what the names in a question were taken to mean.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities)
// columns: Id STRING, Name STRING, Type STRING, Relationships INTEGER (to other entities, in either direction)
// order:   Id
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (n:KgEntity {id: id})
WHERE n.graph = $graph
RETURN n.id AS Id, n.name AS Name, n.type AS Type,
       COUNT { MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph } AS Relationships
ORDER BY Id
