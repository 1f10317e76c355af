// title:   Documents and their coverage
// purpose: What was loaded, how far extraction got, and what came of it.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Document STRING, Chunks INTEGER, Done INTEGER (chunks extracted), Empty INTEGER (chunks done that mention no entity),
//          Entities INTEGER, WithoutRelationships INTEGER (entities that no relationship of the graph has), Facts INTEGER, RowsRejected INTEGER, Licence STRING, Source STRING (address, else what was named)
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
CALL (d) {
  MATCH (e:KgEntity)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d)
  WHERE e.graph = $graph
  WITH DISTINCT e
  RETURN count(e) AS Entities,
         sum(CASE WHEN EXISTS { (e)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph } THEN 0 ELSE 1 END) AS WithoutRelationships
}
RETURN d.title AS Document, Chunks, Done, Empty, Entities, WithoutRelationships,
       COUNT { MATCH (f:KgFact)-[s:STATED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d) WHERE f.graph = $graph AND s.stated IS NULL RETURN DISTINCT f } AS Facts,
       RowsRejected, d.licence AS Licence, coalesce(d.url, d.source) AS Source
ORDER BY Document, Source, d.id
