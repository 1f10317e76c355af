// title:   Take away the relationships of entities
// purpose: What an entity is has changed: its relationships are drawn again from the facts when the graph settles.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entity ids)
// columns: none
// order:   none
// source:  the graph article
UNWIND $ids AS id
MATCH (e:KgEntity {id: id})
WHERE e.graph = $graph
SET e:Unsettled
WITH e
MATCH (e)-[r]-(o:KgEntity)
WHERE o.graph = $graph
WITH DISTINCT r
DELETE r
