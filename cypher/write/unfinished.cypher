// title:   What is unfinished, graph by graph
// purpose: Says which documents must be loaded again, of one graph, or after a recovery of all.
// mode:    read
// params:  $graph STRING (graph name; null: all)
// columns: graph STRING, documents INTEGER, unfinished LIST<STRING> (sources of documents with chunks still to be done),
//          unsettled INTEGER (entities and facts whose values a run did not bring up to date)
// order:   graph
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE ($graph IS NULL AND d.graph IS NOT NULL) OR d.graph = $graph
WITH d, EXISTS { MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d) WHERE NOT coalesce(c.done, false) } AS open
ORDER BY d.source
WITH d.graph AS graph, count(d) AS documents, collect(CASE WHEN open THEN d.source END) AS unfinished
RETURN graph, documents, unfinished,
       COUNT { MATCH (u:Unsettled {graph: graph}) } AS unsettled
ORDER BY graph
