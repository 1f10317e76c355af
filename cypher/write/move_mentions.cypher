// title:   Move mentions to the entity that their key belongs to now
// purpose: Every MENTIONED_IN keeps its key and its values. An entity that is new here bears the former one's name until
//          it is settled.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (key, old and new entity id, num of the new one)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (old:KgEntity {id: row.old})
WHERE old.graph = $graph AND EXISTS { (old)-[m:MENTIONED_IN]->(:KgChunk) WHERE m.key = row.key }
MERGE (new:KgEntity:Entity {id: row.new})
SET new.graph = $graph, new.num = row.num, new.name = coalesce(new.name, old.name), new.type = coalesce(new.type, old.type),
    new.aliases = coalesce(new.aliases, old.aliases), new.evidence_count = coalesce(new.evidence_count, 0)
SET new:Unsettled:$(new.type)
SET old:Unsettled
WITH row, old, new
MATCH (old)-[m:MENTIONED_IN]->(c:KgChunk)
WHERE m.key = row.key
CREATE (new)-[moved:MENTIONED_IN]->(c)
SET moved = properties(m)
DELETE m
