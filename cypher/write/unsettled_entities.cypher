// title:   Entities to settle
// purpose: Marks left by recording, by withdrawing evidence or by a run that was killed.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 5000)
// columns: id STRING
// order:   id
// source:  kg-neo4j
MATCH (e:KgEntity:Unsettled {graph: $graph})
RETURN e.id AS id
ORDER BY id
LIMIT $limit
