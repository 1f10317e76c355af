// title:   Give the mentions of one document another key
// purpose: The document means another bearer of the name. The new entity bears the former one's name until it is settled.
// mode:    write
// params:  $graph STRING (graph name, default main); $document STRING (document id); $old STRING (entity);
//          $new STRING (entity); $num INTEGER (of the new one); $old_key STRING (mention key); $new_key STRING (mention key)
// columns: none
// order:   none
// source:  the graph article
MATCH (old:KgEntity {id: $old})
WHERE old.graph = $graph
  AND EXISTS { (old)-[m:MENTIONED_IN]->(c:KgChunk) WHERE m.key = $old_key AND c.document_id = $document }
MERGE (new:KgEntity:Entity {id: $new})
SET new.graph = $graph, new.num = $num, new.name = coalesce(new.name, old.name), new.type = coalesce(new.type, old.type),
    new.aliases = coalesce(new.aliases, old.aliases), new.evidence_count = coalesce(new.evidence_count, 0)
SET new:Unsettled:$(new.type)
SET old:Unsettled
WITH old, new
MATCH (old)-[m:MENTIONED_IN]->(c:KgChunk)
WHERE m.key = $old_key AND c.document_id = $document
CREATE (new)-[moved:MENTIONED_IN]->(c)
SET moved = properties(m), moved.key = $new_key
DELETE m
