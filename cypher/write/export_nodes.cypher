// title:   Nodes for the export
// purpose: A page of the nodes of one kind; their label is put into its place by `Query.for_label`. Revoked decisions shape
//          nothing and are left out, like vectors and fits, and the numbers of communities, which depend on former runs.
// mode:    read
// params:  $graph STRING (graph name, default main); $kind STRING (label of nodes of trees); $without LIST<STRING> (kinds of
//          answers left out); $after STRING (id of the last node of the page before); $limit INTEGER (nodes a page, >= 1)
// columns: labels LIST<STRING>, properties MAP
// order:   id
// source:  kg-neo4j
MATCH (n:`TYPE_PLACEHOLDER`)
WHERE n.id > $after AND n.graph = $graph AND NOT coalesce(n.revoked, false)
  AND (NOT n:KgTreeNode OR $kind IN labels(n)) AND NOT (n:KgAnswer AND n.kind IN $without)
RETURN [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'] AS labels,
       n {.*, embedding: null, fit: null, number: CASE WHEN n:KgCommunity THEN null ELSE n.number END} AS properties
ORDER BY n.id LIMIT $limit
