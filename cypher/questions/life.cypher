// title:   Births and deaths
// purpose: Answers "When was X born?" and "When did X die?": the years of the entity, and what states them.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $events LIST<STRING> (BORN, DIED or both);
//          $filtered BOOLEAN (whether filters leave something out)
// columns: Who STRING, Event STRING (BORN or DIED), Date STRING (as the text gives it, else the year), Evidence INTEGER (rows that
//          state it), Ids LIST<STRING> (the facts, else the entity)
// order:   Who, then Event, then whether a fact states it, then Evidence descending, then Date, then ids
// source:  kg-neo4j
UNWIND $x AS id
MATCH (n:KgEntity {id: id})
WHERE n.graph = $graph
CALL (n) {
  WITH n WHERE n.birth_year IS NOT NULL AND true /* left: born n */ // under filters a text that is left says it
  RETURN 'BORN' AS Event, CASE WHEN $filtered THEN toString(n.birth_year) ELSE coalesce(n.start_date, toString(n.birth_year)) END AS Date, n.evidence_count AS Evidence, n.id AS rests, 1 AS place
  UNION ALL
  WITH n WHERE n.death_year IS NOT NULL AND true /* left: died n */
  RETURN 'DIED' AS Event, CASE WHEN $filtered THEN toString(n.death_year) ELSE coalesce(n.end_date, toString(n.death_year)) END AS Date, n.evidence_count AS Evidence, n.id AS rests, 1 AS place
  UNION ALL
  MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(o:KgEntity)
  WHERE o.graph = $graph AND (type(r) STARTS WITH 'BORN' OR type(r) STARTS WITH 'DIED' OR type(r) IN ['DATE_OF_BIRTH', 'DATE_OF_DEATH'])
    AND (r.start_date IS NOT NULL OR o.type IN ['DATE', 'YEAR']) AND true /* left: relationship r */
  CALL (r) { // under filters as the texts that are left say it
    WITH r WHERE NOT $filtered
    RETURN r.start_date AS start_date, coalesce(r.evidence_count, 1) AS Evidence
    UNION ALL
    WITH r WHERE $filtered
    MATCH (one:KgFact {id: r.fact_id})
    CALL (one) {
      RETURN one AS f
      UNION
      MATCH (f:KgFact {relationship_id: one.relationship_id})
      RETURN f
    }
    MATCH (f)-[s:STATED_IN]->(c:KgChunk)
    WHERE true /* left: chunk c */ AND s.stated IS NULL
    WITH r, s, c ORDER BY c.index, c.id, s.row
    WITH r, collect(s.start_date)[0] AS start_date, count(s) AS Evidence
    RETURN start_date, Evidence
  }
  WITH n, o, r, start_date, Evidence
  WHERE start_date IS NOT NULL OR o.type IN ['DATE', 'YEAR']
  RETURN CASE WHEN type(r) STARTS WITH 'BORN' OR type(r) = 'DATE_OF_BIRTH' THEN 'BORN' ELSE 'DIED' END AS Event,
         coalesce(start_date, o.name) AS Date, Evidence, r.fact_id AS rests, 0 AS place
}
WITH n, Event, Date, Evidence, rests, place
WHERE Event IN $events
WITH n, Event, Date, Evidence, rests, place ORDER BY place, rests
WITH n, Event, Date, max(Evidence) AS Evidence, min(place) AS place, collect(rests) AS Ids
RETURN n.name AS Who, Event, Date, Evidence, Ids
ORDER BY Who, Event, place, Evidence DESC, Date, Ids
