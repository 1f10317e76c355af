// title:   Documents as filters name them
// purpose: Filters by document, language and kind are matched against these.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, names LIST<STRING> (title, key, then titles that lead to it), source STRING (as it was named
//          in the load), language STRING, kind STRING
// order:   title, then id
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph
RETURN d.id AS id, [d.title, d.key] + coalesce(d.redirects, []) AS names, d.source AS source,
       d.language AS language, d.kind AS kind
ORDER BY d.title, id
