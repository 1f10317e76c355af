// title:   What filters leave of a graph
// purpose: Chunks of the documents that mention an entity of the types and give a date in the range; the entities of the types
//          in these chunks that lived or are dated in the range; the facts stated in them that are dated in it and have an
//          end of the types. Facts that are drawn as one relationship are left together.
// mode:    read
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (ids, or null: all);
//          $types LIST<STRING> (of entities, or null: all); $dates LIST<STRING> (those in the range, or null: any, also none);
//          $since INTEGER (year); $until INTEGER (year)
// columns: chunks LIST<STRING>, entities LIST<STRING>, facts LIST<STRING>
// order:   none; each list is in ascending order
// source:  kg-neo4j
CALL () {
  UNWIND coalesce($documents, []) AS id
  MATCH (d:Document {id: id})<-[:IN_DOCUMENT]-(c:Chunk)
  WHERE c.graph = $graph
  RETURN c
  UNION
  WITH 1 AS one WHERE $documents IS NULL
  MATCH (:Document {graph: $graph})<-[:IN_DOCUMENT]-(c:Chunk)
  RETURN c
}
WITH c
WHERE ($types IS NULL OR EXISTS { (c)<-[:MENTIONED_IN]-(e:Entity) WHERE e.type IN $types })
  AND ($dates IS NULL
       OR EXISTS { (c)<-[s:STATED_IN]-(:Fact) WHERE toString(s.start_date) IN $dates }
       OR EXISTS { (c)<-[m:MENTIONED_IN]-(e:Entity)
                   WHERE $since <= m.birth_year <= $until OR $since <= m.death_year <= $until
                      OR (e.type IN ['DATE', 'YEAR'] AND e.name IN $dates) })
WITH c ORDER BY c.id
WITH collect(c) AS left
CALL (left) {
  UNWIND left AS c
  MATCH (c)<-[:MENTIONED_IN]-(e:Entity)
  WITH DISTINCT e
  WHERE ($types IS NULL OR e.type IN $types)
    AND ($dates IS NULL
         OR (e.type IN ['DATE', 'YEAR'] AND e.name IN $dates)
         OR $since <= e.birth_year <= $until OR $since <= e.death_year <= $until
         OR (e.birth_year < $since AND e.death_year > $until)
         OR EXISTS { (e)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:Entity)
                     WHERE toString(r.start_date) IN $dates OR (o.type IN ['DATE', 'YEAR'] AND o.name IN $dates) })
  WITH e.id AS id ORDER BY id
  RETURN collect(id) AS entities
}
CALL (left) {
  UNWIND left AS c
  MATCH (c)<-[:STATED_IN]-(f:Fact)
  WITH DISTINCT f
  MATCH (a:Entity {id: coalesce(f.source_id, f.source_key)})
  MATCH (b:Entity {id: coalesce(f.target_id, f.target_key)})
  WHERE ($types IS NULL OR a.type IN $types OR b.type IN $types)
    AND ($dates IS NULL OR toString(f.start_date) IN $dates
         OR (a.type IN ['DATE', 'YEAR'] AND a.name IN $dates) OR (b.type IN ['DATE', 'YEAR'] AND b.name IN $dates))
  CALL (f) {
    RETURN f AS same
    UNION
    MATCH (same:Fact {relationship_id: f.relationship_id})
    RETURN same
  }
  WITH DISTINCT same.id AS id ORDER BY id
  RETURN collect(id) AS facts
}
RETURN [c IN left | c.id] AS chunks, entities, facts
