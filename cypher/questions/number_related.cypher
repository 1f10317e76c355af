// title:   How many entities are related to one
// purpose: Answers "How many people is X connected with?" and "How many people worked for X since 2019?": different entities
//          that are related to X, by type, with the best attested of them.
// mode:    read
// params:  $graph STRING (graph name, default main); $x LIST<STRING> (ids of the entities that X names);
//          $types LIST<STRING> (types; none: every type); $relationships LIST<STRING> (relationship types; none: every type);
//          $direction STRING (out: X is the source; in: X is the target; both); $filtered BOOLEAN (whether filters leave something out);
//          $from INTEGER (first year in which it began, negative for BC; null: any); $to INTEGER (last year)
// columns: Type STRING, Count INTEGER, Examples LIST<STRING> (names, at most five), Ids LIST<STRING> (facts that relate the examples)
// order:   Count descending, then Type
// source:  kg-neo4j
MATCH (n:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
WHERE n.id IN $x AND n.graph = $graph AND o.graph = $graph AND NOT o.id IN $x AND ($types = [] OR o.type IN $types)
  AND ($relationships = [] OR type(r) IN $relationships)
  AND ($direction = 'both' OR ($direction = 'out' AND startNode(r) = n) OR ($direction = 'in' AND endNode(r) = n))
  AND true /* left: relationship r */
  AND ($from IS NULL OR (NOT $filtered AND $from <= toInteger(CASE WHEN r.start_date STARTS WITH '-' THEN '-' + split(substring(r.start_date, 1), '-')[0] ELSE split(r.start_date, '-')[0] END) <= $to)
       OR ($filtered AND EXISTS { // as the texts that are left say it
         MATCH (:KgFact {id: r.fact_id})-[s:STATED_IN]->(c:KgChunk)
         WHERE true /* left: chunk c */ AND $from <= toInteger(CASE WHEN s.start_date STARTS WITH '-' THEN '-' + split(substring(s.start_date, 1), '-')[0] ELSE split(s.start_date, '-')[0] END) <= $to
       }))
WITH o, r ORDER BY coalesce(r.evidence_count, 1) DESC, r.fact_id
WITH o, sum(coalesce(r.evidence_count, 1)) AS evidence, head(collect(r.fact_id)) AS fact
ORDER BY evidence DESC, o.name, o.id
WITH o.type AS Type, count(o) AS Count, collect([o.name, fact])[..5] AS best
RETURN Type, Count, [each IN best | each[0]] AS Examples, [each IN best | each[1]] AS Ids
ORDER BY Count DESC, Type
