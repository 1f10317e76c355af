// title:   Graphs that have documents
// purpose: What a server of several graphs lets a person choose from. Only documents are looked at, because they are few.
// mode:    read
// params:  $only STRING (the one graph that is served; empty: all)
// columns: graph STRING, documents INTEGER
// order:   graph
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE $only = '' OR d.graph = $only
RETURN d.graph AS graph, count(d) AS documents
ORDER BY graph
