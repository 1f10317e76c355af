// title:   Communities and the state of their reports
// purpose: Tells which reports there are and what they were made from.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, level INTEGER, number INTEGER, size INTEGER, parent_id STRING, hash STRING, method STRING,
//          domain STRING
// order:   level descending, then number
// source:  the length study
MATCH (c:KgCommunity)
WHERE c.graph = $graph
RETURN c.id AS id, c.level AS level, c.number AS number, c.size AS size,
       head([(c)-[:CHILD_OF]->(p:KgCommunity) WHERE p.graph = $graph | p.id]) AS parent_id,
       c.report_hash AS hash, c.report_method AS method, c.report_domain AS domain
ORDER BY level DESC, number
