// title:   Nodes of a narrative tree
// purpose: What is stored, to be compared with what should be: only differences are written.
// mode:    read
// params:  $graph STRING (graph name, default main); $tree STRING (tree id)
// columns: labels LIST<STRING>, node MAP, links LIST<ANY> (id, then the numbers on the relationship)
// order:   id
// source:  the narrative thesis
MATCH (n:KgTreeNode)
WHERE n.tree = $tree AND n.graph = $graph
RETURN labels(n) AS labels, n {.*, embedding: null} AS node,
       COLLECT {
         MATCH (n)-[r:SUMMARISES|DETAILS|OVERLAPS]->(m)
         RETURN CASE type(r) WHEN 'SUMMARISES' THEN [m.id, r.probability]
                             WHEN 'OVERLAPS' THEN [m.id, r.start, r.end] ELSE [m.id] END
         ORDER BY m.id
       } AS links
ORDER BY n.id
