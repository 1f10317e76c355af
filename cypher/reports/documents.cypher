// title:   Documents and their coverage
// purpose: What was loaded, how far extraction got, and what came of it.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Document STRING, Chunks INTEGER, Done INTEGER (chunks extracted), Empty INTEGER (chunks done that mention no entity),
//          Entities INTEGER, Facts INTEGER, RowsRejected INTEGER, Licence STRING, Source STRING (address, else what was named)
// order:   Document, then Source, then id
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph
CALL (d) {
  MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
  WHERE c.graph = $graph
  RETURN count(c) AS Chunks,
         sum(CASE WHEN c.done THEN 1 ELSE 0 END) AS Done,
         sum(CASE WHEN c.done AND NOT EXISTS { (c)<-[:MENTIONED_IN]-(:KgEntity) } THEN 1 ELSE 0 END) AS Empty,
         sum(coalesce(c.rows_rejected, 0)) AS RowsRejected
}
RETURN d.title AS Document, Chunks, Done, Empty,
       COUNT { MATCH (e:KgEntity)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d) WHERE e.graph = $graph RETURN DISTINCT e } AS Entities,
       COUNT { MATCH (f:KgFact)-[s:STATED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d) WHERE f.graph = $graph AND s.stated IS NULL RETURN DISTINCT f } AS Facts,
       RowsRejected, d.licence AS Licence, coalesce(d.url, d.source) AS Source
ORDER BY Document, Source, d.id
