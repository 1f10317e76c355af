// title:   Levels of communities
// purpose: How many communities of two and more members each level has, and how many of them have a report.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: level INTEGER (0 is the coarsest), communities INTEGER, reports INTEGER
// order:   level
// source:  kg-neo4j
MATCH (c:KgCommunity {graph: $graph})
WHERE c.size >= 2
RETURN c.level AS level, count(c) AS communities, count(c.report_method) AS reports
ORDER BY level
