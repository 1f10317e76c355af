// title:   Delete communities that are no more
// purpose: Part of the transaction that writes their successors. What a model said about them alone leaves, too.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<STRING> (community ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS id
MATCH (c:KgCommunity {id: id})
WHERE c.graph = $graph
WITH c, COLLECT {
  MATCH (a:KgAnswer)-[:ANSWERS]->(c)
  WHERE NOT EXISTS { (a)-[:ANSWERS]->(other:KgCommunity) WHERE other <> c AND NOT other.id IN $rows }
  RETURN a
} AS answers
DETACH DELETE c
WITH answers
UNWIND answers AS a
DETACH DELETE a
