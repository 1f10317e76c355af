// title:   Delete derived decisions that the evidence does not support any more
// purpose: They are revoked and no longer shown; what a person revoked stays.
// mode:    write
// params:  $graph STRING (graph name, default main); $limit INTEGER (decisions at a time, >= 1)
// columns: deleted INTEGER
// order:   none
// source:  kg-neo4j
MATCH (d:KgDecision)
WHERE d.graph = $graph AND d.derived AND d.revoked AND NOT d:Unsettled
WITH d LIMIT $limit
DELETE d
RETURN count(*) AS deleted
