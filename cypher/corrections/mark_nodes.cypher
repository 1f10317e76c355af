// title:   Mark entities whose values a person gave
// purpose: Those that have other values, and those that keep values which were taken back, are folded again.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (id of the entity, values, and their names)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {id: row.id})
WHERE e.graph = $graph
  AND (coalesce(e.by_hand, []) <> row.names OR any(name IN row.names WHERE e[name] IS NULL OR e[name] <> row.values[name]))
SET e:Unsettled
