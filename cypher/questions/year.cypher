// title:   What happened in some years
// purpose: Answers "What happened in 1804?" and "What did X do in 1804?": dated relationships, births and deaths,
//          first and last dates of other things.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names; none: everybody);
//          $from INTEGER (first year, negative for BC); $to INTEGER (last year); $limit INTEGER (rows, >= 1, default 201);
//          $filtered BOOLEAN (whether filters leave something out)
// columns: Year INTEGER (negative for BC), Date STRING (as the text gives it), Who STRING, Relationship STRING, Target STRING,
//          Evidence INTEGER (rows that state it), Ids LIST<STRING> (the fact, else the entity)
// order:   Year, then Who, Relationship, Target, then Evidence descending, then ids
// source:  kg-neo4j
CALL () {
  MATCH (n:KgEntity)
  WHERE n.graph = $graph AND n.birth_year >= $from AND n.birth_year <= $to
    AND true /* left: entity n */ AND true /* left: born n */
  RETURN n, toString(n.birth_year) AS Date, 'BORN' AS Relationship, null AS o, n.evidence_count AS Evidence, n.id AS id
  UNION ALL
  MATCH (n:KgEntity)
  WHERE n.graph = $graph AND n.death_year >= $from AND n.death_year <= $to
    AND true /* left: entity n */ AND true /* left: died n */
  RETURN n, toString(n.death_year) AS Date, 'DIED' AS Relationship, null AS o, n.evidence_count AS Evidence, n.id AS id
  UNION ALL
  MATCH (n:KgEntity)
  WHERE n.graph = $graph AND n.type <> 'PERSON' AND (n.start_date IS NOT NULL OR n.end_date IS NOT NULL) AND NOT $filtered
  UNWIND [[n.start_date, 'STARTED'], [n.end_date, 'ENDED']] AS event
  WITH n, event WHERE event[0] IS NOT NULL
  RETURN n, event[0] AS Date, event[1] AS Relationship, null AS o, n.evidence_count AS Evidence, n.id AS id
  UNION ALL
  MATCH (n:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(o:KgEntity)
  WHERE n.graph = $graph AND o.graph = $graph AND (r.start_date IS NOT NULL OR o.type IN ['DATE', 'YEAR'])
    AND true /* left: relationship r */
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
  RETURN n, coalesce(start_date, o.name) AS Date, type(r) + coalesce(' ' + toString(r.phrase), '') AS Relationship, o, Evidence,
         r.fact_id AS id
}
WITH n, Date, Relationship, o, Evidence, id
WHERE $x = [] OR n.id IN $x OR o.id IN $x
WITH n, Date, Relationship, o, Evidence, id,
     split(reduce(text = Date, mark IN [',', '.', ';', ':', '-', '–', '/', '(', ')', '~'] | replace(text, mark, ' ')), ' ') AS words
WITH n, Date, Relationship, o, Evidence, id,
     coalesce(CASE WHEN Date =~ '[+-]?\\d{1,6}' THEN toInteger(Date) END,
              CASE WHEN Date =~ '(?is).*\\bB\\.?C\\b.*'
                   THEN -toInteger(last([word IN words WHERE word =~ '\\d{1,4}']))
                   ELSE toInteger(head([word IN words WHERE word =~ '\\d{3,4}'])) END) AS Year
WHERE $from <= Year <= $to
WITH Year, Date, n, Relationship, o, coalesce(Evidence, 1) AS Evidence, id
ORDER BY Year, n.name, Relationship, o.name, Evidence DESC, n.id, id
LIMIT $limit
RETURN Year, Date, n.name AS Who, Relationship, o.name AS Target, Evidence, [id] AS Ids
