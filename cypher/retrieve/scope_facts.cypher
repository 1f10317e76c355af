// title:   Facts that filters leave
// purpose: Facts that some chunks state, with an end of the types, dated in the range.
// mode:    read
// params:  $chunks LIST<STRING> (those that filters leave); $types LIST<STRING> (of entities, or null: all);
//          $dates LIST<STRING> (those in the range, or null: any, also none)
// columns: ids LIST<STRING>, shared LIST<STRING> (relationships that some are drawn as together with others)
// order:   none; the ids are in ascending order
// source:  kg-neo4j
UNWIND $chunks AS chunk
MATCH (:KgChunk {id: chunk})<-[:STATED_IN]-(f:KgFact)
WITH DISTINCT f, [coalesce(f.source_id, f.source_key), coalesce(f.target_id, f.target_key)] AS ends
WHERE ($types IS NULL OR EXISTS { MATCH (e:KgEntity) WHERE e.id IN ends AND e.type IN $types })
  AND ($dates IS NULL OR toString(f.start_date) IN $dates
       OR EXISTS { MATCH (e:KgEntity) WHERE e.id IN ends AND e.type IN ['DATE', 'YEAR'] AND e.name IN $dates })
WITH f ORDER BY f.id
RETURN collect(f.id) AS ids, collect(DISTINCT f.relationship_id) AS shared
