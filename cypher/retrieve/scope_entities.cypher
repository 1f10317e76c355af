// title:   Entities that filters leave
// purpose: Entities of the types that some chunks mention, and that lived or are dated in the range.
// mode:    read
// params:  $chunks LIST<STRING> (those that filters leave); $types LIST<STRING> (of entities, or null: all);
//          $dates LIST<STRING> (those in the range, or null: any, also none); $since INTEGER (year); $until INTEGER (year)
// columns: ids LIST<STRING>
// order:   none; the list is in ascending order
// source:  kg-neo4j
UNWIND $chunks AS chunk
MATCH (:KgChunk {id: chunk})<-[:MENTIONED_IN]-(e:KgEntity)
WITH DISTINCT e
WHERE ($types IS NULL OR e.type IN $types)
  AND ($dates IS NULL
       OR (e.type IN ['DATE', 'YEAR'] AND e.name IN $dates)
       OR $since <= e.birth_year <= $until OR $since <= e.death_year <= $until
       OR (e.birth_year < $since AND e.death_year > $until)
       OR EXISTS { (e)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
                   WHERE toString(r.start_date) IN $dates OR (o.type IN ['DATE', 'YEAR'] AND o.name IN $dates) })
WITH e.id AS id ORDER BY id
RETURN collect(id) AS ids
