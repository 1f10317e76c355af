// title:   Levels of communities and their reports
// purpose: Tells which level of reports can be read within a budget. Entities that stand alone are no community here.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: level INTEGER, communities INTEGER (with two or more members), reports INTEGER,
//          characters INTEGER (of the reports)
// order:   level
// source:  the length study
MATCH (c:KgCommunity)
WHERE c.graph = $graph AND c.size > 1
WITH c.level AS level, c, CASE WHEN c.report_method IS NULL THEN 0 ELSE 1 END AS has
RETURN level, count(c) AS communities, sum(has) AS reports,
       sum(has * (size(coalesce(c.title, '')) + size(coalesce(c.summary, '')) + size(coalesce(c.findings, '')))) AS characters
ORDER BY level
