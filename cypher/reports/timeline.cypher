// title:   Who was where and when
// purpose: Births, deaths, first and last dates of other things, dated statements and statements about places, in the order of time; undated ones last.
// mode:    read
// params:  $graph STRING (graph name, default main); $who STRING (name or alias, or * for everybody, default *);
//          $limit INTEGER (rows, >= 1, default 100)
// columns: Year INTEGER (negative for BC), Date STRING (as the text gives it), Who STRING, Relationship STRING, Target STRING,
//          TargetType STRING, Evidence INTEGER (rows that state it)
// order:   Year with empty ones last, then Who, Relationship, Target, then Evidence descending, then ids
// source:  the Wikipedia report
CALL () {
  MATCH (n:KgEntity)
  WHERE n.graph = $graph
  WITH n, CASE WHEN n.type = 'PERSON' THEN ['BORN', 'DIED'] ELSE ['STARTED', 'ENDED'] END AS said
  UNWIND [[coalesce(n.start_date, toString(n.birth_year)), said[0]], [coalesce(n.end_date, toString(n.death_year)), said[1]]] AS event
  WITH n, event WHERE event[0] IS NOT NULL
  RETURN n, event[0] AS Date, event[1] AS Relationship, null AS o, n.evidence_count AS Evidence, '' AS fact
  UNION ALL
  MATCH (n:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(o:KgEntity)
  WHERE n.graph = $graph AND o.graph = $graph
    AND (r.start_date IS NOT NULL
         OR o.type IN ['DATE', 'YEAR', 'PLACE', 'LOCATION', 'CITY', 'TOWN', 'VILLAGE', 'SETTLEMENT', 'COUNTRY', 'REGION',
                       'STATE', 'PROVINCE', 'CONTINENT', 'ISLAND', 'MOUNTAIN', 'CAVE', 'RIVER', 'LAKE', 'SEA', 'OCEAN',
                       'DESERT', 'BUILDING', 'ADDRESS'])
  RETURN n, coalesce(r.start_date, CASE WHEN o.type IN ['DATE', 'YEAR'] THEN o.name END) AS Date,
         type(r) + coalesce(' ' + toString(r.phrase), '') AS Relationship, o, r.evidence_count AS Evidence, r.fact_id AS fact
}
WITH n, Date, Relationship, o, Evidence, fact
WHERE $who = '*'
   OR any(known IN [n.name] + coalesce(n.aliases, []) WHERE normalize(toLower(known)) = normalize(toLower($who)))
WITH n, Date, Relationship, o, Evidence, fact,
     split(reduce(text = Date, mark IN [',', '.', ';', ':', '-', '–', '/', '(', ')', '~'] | replace(text, mark, ' ')), ' ') AS words
WITH n, Date, Relationship, o, Evidence, fact,
     coalesce(CASE WHEN Date =~ '[+-]?\\d{1,6}' THEN toInteger(Date) END,
              CASE WHEN Date =~ '(?is).*\\bB\\.?C\\b.*'
                   THEN -toInteger(last([word IN words WHERE word =~ '\\d{1,4}']))
                   ELSE toInteger(head([word IN words WHERE word =~ '\\d{3,4}'])) END) AS Year
RETURN Year, Date, n.name AS Who, Relationship, o.name AS Target, o.type AS TargetType, Evidence
ORDER BY Year, Who, Relationship, Target, Evidence DESC, n.id, fact
LIMIT $limit
