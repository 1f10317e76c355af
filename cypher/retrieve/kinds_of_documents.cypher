// title:   Languages and kinds of documents
// purpose: Says which filters by language and kind a graph can obey.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: language STRING, kind STRING, documents INTEGER
// order:   language, then kind
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph
RETURN d.language AS language, d.kind AS kind, count(*) AS documents
ORDER BY language, kind
