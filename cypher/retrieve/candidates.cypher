// title:   Candidates for a question, compared
// purpose: How near each chunk is to what a question asks beside the names in it, and which entities its chunks share:
//          what the last ranking is made from.
// mode:    read
// params:  $ids LIST<STRING> (chunks, as they were ranked before); $rest LIST<FLOAT> (vector of the question without its
//          names, or null: nothing is compared)
// columns: chunks INTEGER (in the database, of all graphs), near LIST<FLOAT> (cosine of each, in the order of the ids; null
//          where it has no such vector), entities LIST<MAP> (places LIST<INTEGER>: which of them mention it; mentions INTEGER)
// order:   none; the entities are in ascending order of their places, then of their mentions
// source:  kg-neo4j
CALL () {
  MATCH (c:KgChunk)
  RETURN count(c) AS chunks
}
CALL () {
  UNWIND range(0, size($ids) - 1) AS place
  MATCH (c:KgChunk {id: $ids[place]})
  WITH place, CASE WHEN size(c.embedding) = size($rest) THEN 2 * vector.similarity.cosine(c.embedding, $rest) - 1 END AS near
  ORDER BY place
  RETURN collect({place: place, near: near}) AS compared
}
CALL () {
  UNWIND range(0, size($ids) - 1) AS place
  MATCH (:KgChunk {id: $ids[place]})<-[:MENTIONED_IN]-(e:KgEntity)
  WITH DISTINCT e, place ORDER BY place
  WITH e, collect(place) AS places
  WITH places, COUNT { (e)-[:MENTIONED_IN]->() } AS mentions
  ORDER BY places, mentions
  RETURN collect({places: places, mentions: mentions}) AS entities
}
RETURN chunks, [place IN range(0, size($ids) - 1) | head([one IN compared WHERE one.place = place | one.near])] AS near, entities
