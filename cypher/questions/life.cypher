// title:   Births and deaths
// purpose: Answers "When was X born?" and "When did X die?": the years of the entity, and what states them.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $events LIST<STRING> (BORN, DIED or both)
// columns: Who STRING, Event STRING (BORN or DIED), Date STRING (as the text gives it, else the year), Evidence INTEGER (rows that
//          state it), Ids LIST<STRING> (the facts, else the entity)
// order:   Who, then Event, then whether a fact states it, then Evidence descending, then Date, then ids
// source:  kg-neo4j
UNWIND $x AS id
MATCH (n:Entity {id: id})
WHERE n.graph = $graph
CALL (n) {
  UNWIND [['BORN', n.birth_year], ['DIED', n.death_year]] AS event
  WITH n, event WHERE event[1] IS NOT NULL
  RETURN event[0] AS Event, toString(event[1]) AS Date, n.evidence_count AS Evidence, n.id AS rests, 1 AS place
  UNION ALL
  MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(o:Entity)
  WHERE o.graph = $graph AND (type(r) STARTS WITH 'BORN' OR type(r) STARTS WITH 'DIED' OR type(r) IN ['DATE_OF_BIRTH', 'DATE_OF_DEATH'])
    AND (r.start_date IS NOT NULL OR o.type IN ['DATE', 'YEAR'])
  RETURN CASE WHEN type(r) STARTS WITH 'BORN' OR type(r) = 'DATE_OF_BIRTH' THEN 'BORN' ELSE 'DIED' END AS Event,
         coalesce(r.start_date, o.name) AS Date, coalesce(r.evidence_count, 1) AS Evidence, r.fact_id AS rests, 0 AS place
}
WITH n, Event, Date, Evidence, rests, place
WHERE Event IN $events
WITH n, Event, Date, Evidence, rests, place ORDER BY place, rests
WITH n, Event, Date, max(Evidence) AS Evidence, min(place) AS place, collect(rests) AS Ids
RETURN n.name AS Who, Event, Date, Evidence, Ids
ORDER BY Who, Event, place, Evidence DESC, Date, Ids
