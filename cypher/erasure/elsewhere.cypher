// title:   The same texts in other graphs
// purpose: A purge is of one graph; a note names the others.
// mode:    read
// params:  $graph STRING (graph name, default main); $hashes LIST<STRING> (SHA-256 of texts)
// columns: graph STRING, title STRING
// order:   graph, then title
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph <> $graph AND d.sha256 IN $hashes
RETURN d.graph AS graph, d.title AS title
ORDER BY graph, title
