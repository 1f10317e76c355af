// title:   Store the passages of chunks with their vectors
// purpose: A stored answer: the vectors, and the hash of the text and the model that they were made from. The vector of a
//          chunk is the mean of those of its passages.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (id, vector, hash and passages of each chunk; id, text,
//          start, end and vector of each passage)
// columns: none
// order:   none
// source:  the embedding analysis
UNWIND $rows AS row
MATCH (c:KgChunk {id: row.id})
WHERE c.graph = $graph
SET c.embedding = row.vector, c.embedding_hash = row.hash
WITH c, row
CALL (c, row) {
  MATCH (c)<-[:IN_CHUNK]-(old:KgPassage)
  WHERE NOT old.id IN [each IN row.passages | each.id]
  DETACH DELETE old
}
CALL (c, row) {
  UNWIND row.passages AS each
  MERGE (p:KgPassage:Passage {id: each.id})
  SET p.graph = $graph, p.text = each.text, p.start = each.start, p.end = each.end,
      p.embedding = each.vector
  MERGE (p)-[:IN_CHUNK]->(c)
}
