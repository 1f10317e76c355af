// title:   Nodes for an archive
// purpose: A page of the nodes of one label, whole; the label is put into its place by `Query.for_label`.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last node of the page before);
//          $limit INTEGER (nodes a page, >= 1)
// columns: labels LIST<STRING>, properties MAP
// order:   id
// source:  kg-neo4j
MATCH (n:`TYPE_PLACEHOLDER`)
WHERE n.id > $after AND n.graph = $graph
RETURN [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'] AS labels, properties(n) AS properties
ORDER BY n.id LIMIT $limit
