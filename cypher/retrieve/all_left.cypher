// title:   All that filters leave
// purpose: Queries that a model writes are held to these ids; no other query needs them.
// mode:    read
// params:  $graph STRING (graph name, default main); $most INTEGER (chunks to return, >= 1, default 100001)
// columns: documents LIST<STRING>, chunks LIST<STRING>, entities LIST<STRING>, facts LIST<STRING>
// order:   none; each list is in ascending order
// source:  kg-neo4j
CALL () {
  MATCH (d:KgDocument {graph: $graph})
  WHERE true /* left: document d */
  WITH d ORDER BY d.id
  RETURN collect(d) AS of
}
CALL (of) {
  UNWIND of AS d
  MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk)
  WHERE true /* left: chunk c */
  WITH c LIMIT $most
  WITH c ORDER BY c.id
  RETURN collect(c) AS among
}
CALL (among) {
  UNWIND among AS c
  MATCH (c)<-[:MENTIONED_IN]-(e:KgEntity)
  WITH DISTINCT e WHERE true /* left: entity e */
  WITH e.id AS id ORDER BY id
  RETURN collect(id) AS entities
}
CALL (among) {
  UNWIND among AS c
  MATCH (c)<-[:STATED_IN]-(stated:KgFact)
  WITH DISTINCT stated
  CALL (stated) {
    RETURN stated AS f
    UNION
    MATCH (f:KgFact {relationship_id: stated.relationship_id})
    RETURN f
  }
  WITH DISTINCT f WHERE true /* left: fact f */
  WITH f.id AS id ORDER BY id
  RETURN collect(id) AS facts
}
RETURN [d IN of | d.id] AS documents, [c IN among | c.id] AS chunks, entities, facts
