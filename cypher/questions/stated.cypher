// title:   Relationships of some types of an entity
// purpose: Answers "Who married X?" and "Where did X study?": the entity's relationships of the types that the question's words name.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $relationships LIST<STRING> (relationship types); $direction STRING (out: X is the source; in: X is the target; both);
//          $types LIST<STRING> (types of the other end; none: every type); $limit INTEGER (rows, >= 1, default 201);
//          $from INTEGER (first year in which it began, negative for BC; null: any); $to INTEGER (last year);
//          $filtered BOOLEAN (whether filters leave something out)
// columns: Source STRING, Relationship STRING, Target STRING, Answer STRING (the end that is not X), Date STRING (as the text gives it),
//          Evidence INTEGER (rows that state it), Ids LIST<STRING> (the fact)
// order:   Evidence descending, then Answer, then Relationship, then ids
// source:  kg-neo4j
UNWIND $x AS id
MATCH (n:KgEntity {id: id})
WHERE n.graph = $graph
MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE o.graph = $graph AND o <> n AND type(r) IN $relationships AND ($types = [] OR o.type IN $types)
  AND ($direction = 'both' OR ($direction = 'out' AND startNode(r) = n) OR ($direction = 'in' AND endNode(r) = n))
  AND true /* left: relationship r */
WITH DISTINCT r, o
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
WITH r, o, start_date, Evidence, startNode(r) AS source, endNode(r) AS target
WHERE $from IS NULL OR $from <= toInteger(CASE WHEN start_date STARTS WITH '-' THEN '-' + split(substring(start_date, 1), '-')[0] ELSE split(start_date, '-')[0] END) <= $to
ORDER BY Evidence DESC, o.name, type(r), o.id, r.fact_id
LIMIT $limit
RETURN source.name AS Source, type(r) + coalesce(' ' + toString(r.phrase), '') AS Relationship, target.name AS Target,
       o.name AS Answer, start_date AS Date, Evidence, [r.fact_id] AS Ids
