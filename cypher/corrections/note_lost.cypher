// title:   Note corrections that lost their sentences
// purpose: So that each is reported once.
// mode:    write
// params:  $rows LIST<MAP> (id of the decision, and whether its sentences have gone)
// columns: id STRING (of those that have gone since the last time)
// order:   id
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (d:KgDecision {id: row.id})
WHERE coalesce(d.lost, false) <> row.lost
SET d.lost = CASE WHEN row.lost THEN true END
WITH d WHERE d.lost
RETURN d.id AS id
ORDER BY id
