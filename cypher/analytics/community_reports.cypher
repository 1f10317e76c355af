// title:   Community reports as they are stored
// purpose: What the global mode reads, and what a report on a larger community is made from.
// mode:    read
// params:  $graph STRING (graph name, default main); $level INTEGER (0 is the coarsest; null: all levels);
//          $ids LIST<STRING> (community ids; null: all)
// columns: id STRING, level INTEGER, number INTEGER, size INTEGER, parent_id STRING, title STRING, summary STRING,
//          rating FLOAT, rating_explanation STRING, findings STRING (JSON), method STRING, flags LIST<STRING>,
//          hash STRING, domain STRING
// order:   level, then number
// source:  the length study
MATCH (c:KgCommunity)
WHERE c.graph = $graph AND c.report_method IS NOT NULL AND ($level IS NULL OR c.level = $level)
  AND ($ids IS NULL OR c.id IN $ids)
RETURN c.id AS id, c.level AS level, c.number AS number, c.size AS size,
       head([(c)-[:CHILD_OF]->(p:KgCommunity) WHERE p.graph = $graph | p.id]) AS parent_id,
       c.title AS title, coalesce(c.summary, '') AS summary, c.rating AS rating,
       coalesce(c.rating_explanation, '') AS rating_explanation,
       c.findings AS findings, c.report_method AS method, c.report_flags AS flags, c.report_hash AS hash,
       c.report_domain AS domain
ORDER BY level, number
