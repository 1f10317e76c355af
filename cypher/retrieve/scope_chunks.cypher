// title:   Chunks that filters leave
// purpose: Chunks of the documents that mention an entity of the types and give a date in the range.
// mode:    read
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (ids, or null: all);
//          $types LIST<STRING> (of entities, or null: all); $dates LIST<STRING> (those in the range, or null: any, also none);
//          $since INTEGER (year); $until INTEGER (year); $most INTEGER (ids to return, >= 1, default 100001)
// columns: ids LIST<STRING>
// order:   none; the list is in ascending order
// source:  kg-neo4j
CALL () {
  UNWIND coalesce($documents, []) AS id
  MATCH (d:KgDocument {id: id})<-[:IN_DOCUMENT]-(c:KgChunk)
  WHERE c.graph = $graph
  RETURN c
  UNION
  WITH 1 AS one WHERE $documents IS NULL
  MATCH (:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
  RETURN c
}
WITH c
WHERE ($types IS NULL OR EXISTS { (c)<-[:MENTIONED_IN]-(e:KgEntity) WHERE e.type IN $types })
  AND ($dates IS NULL
       OR EXISTS { (c)<-[s:STATED_IN]-(:KgFact) WHERE toString(s.start_date) IN $dates }
       OR EXISTS { (c)<-[m:MENTIONED_IN]-(e:KgEntity)
                   WHERE $since <= m.birth_year <= $until OR $since <= m.death_year <= $until
                      OR (e.type IN ['DATE', 'YEAR'] AND e.name IN $dates) })
WITH c.id AS id ORDER BY id LIMIT $most
RETURN collect(id) AS ids
