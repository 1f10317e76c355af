// title:   Chunks with rows of some types
// purpose: What is recorded again where a decision on these types comes or goes: the types are shown or written ones.
// mode:    read
// params:  $graph STRING (graph name, default main); $types LIST<STRING> (types)
// columns: document STRING (document id), chunks LIST<STRING> (chunk ids)
// order:   document
// source:  kg-neo4j
CALL () {
  MATCH (e:KgEntity)-[m:MENTIONED_IN]->(c:KgChunk)
  WHERE e.graph = $graph AND m.type IN $types
  RETURN c
  UNION
  MATCH (f:KgFact)-[:STATED_IN]->(c:KgChunk)
  WHERE f.graph = $graph AND f.type IN $types
  RETURN c
}
WITH c.document_id AS document, c.id AS chunk
ORDER BY document, chunk
RETURN document, collect(chunk) AS chunks
ORDER BY document
