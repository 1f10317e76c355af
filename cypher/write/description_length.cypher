// title:   How long descriptions are
// purpose: Tells a plan how soon the descriptions of one entity outgrow the bound for a summary.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (chunks looked at, >= 1)
// columns: characters FLOAT (null where there are none)
// order:   none
// source:  kg-neo4j
MATCH (c:KgChunk {graph: $graph})
WITH c ORDER BY c.id LIMIT $limit
MATCH (c)<-[m:MENTIONED_IN]-(:KgEntity)
WHERE m.description IS NOT NULL
RETURN avg(size(m.description)) AS characters
