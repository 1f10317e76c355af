// title:   What is unfinished, graph by graph
// purpose: After a recovery, says which documents must be loaded again.
// mode:    read
// params:  none
// columns: graph STRING, documents INTEGER, unfinished LIST<STRING> (sources of documents with chunks still to be done),
//          unsettled INTEGER (entities and facts whose values a run did not bring up to date)
// order:   graph
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph IS NOT NULL
WITH d, EXISTS { MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d) WHERE NOT coalesce(c.done, false) } AS open
ORDER BY d.source
WITH d.graph AS graph, count(d) AS documents, collect(CASE WHEN open THEN d.source END) AS unfinished
RETURN graph, documents, unfinished,
       COUNT { MATCH (u:Unsettled {graph: graph}) } AS unsettled
ORDER BY graph
