// title:   Say between which entities facts stand
// purpose: Written where resolution touched an end: the entity, where it is another than the key names, and the
//          relationship that facts of one kind between the same entities are drawn as.
// mode:    write
// params:  $rows LIST<LIST> (fact id, entity of the source or null, entity of the target or null, relationship)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (f:KgFact {id: row[0]})
SET f.source_id = row[1], f.target_id = row[2], f.relationship_id = row[3], f:Unsettled
