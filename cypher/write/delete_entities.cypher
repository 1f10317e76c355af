// title:   Delete entities that lost their last evidence
// purpose: Nothing supports them any more, so nothing relates to them either.
// mode:    write
// params:  $ids LIST<STRING> (entity ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (e:KgEntity {id: id})
WHERE NOT EXISTS { (e)-[:MENTIONED_IN]->() }
DETACH DELETE e
