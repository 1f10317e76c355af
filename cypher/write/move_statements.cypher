// title:   Move what one document states to facts about the bearer that it means
// purpose: Every STATED_IN keeps its values; facts that lose all of theirs go when the graph settles.
// mode:    write
// params:  $graph STRING (graph name, default main); $document STRING (document id);
//          $rows LIST<MAP> (old fact, new fact, its type and ends by key, and its place as place_facts has it)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (old:KgFact {id: row.old})
WHERE old.graph = $graph
MERGE (new:KgFact:Fact {id: row.new})
SET new.graph = $graph, new.type = row.type, new.source_key = row.source_key, new.target_key = row.target_key,
    new.source_id = row.source_id, new.target_id = row.target_id, new.relationship_id = row.relationship_id,
    new.evidence_count = coalesce(new.evidence_count, 0)
SET new:Unsettled, old:Unsettled
WITH row, old, new
MATCH (old)-[s:STATED_IN]->(c:KgChunk)
WHERE c.document_id = $document
CREATE (new)-[moved:STATED_IN]->(c)
SET moved = properties(s)
DELETE s
