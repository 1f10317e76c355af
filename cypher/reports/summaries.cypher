// title:   Summaries and their sources
// purpose: Each sentence of the summary of an entity or a fact, with the descriptions that it joins and where they stand.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 100)
// columns: Name STRING (of the entity, or the fact in words), Sentence STRING (of the summary), Made STRING (model or extractive),
//          Description STRING, Document STRING, Quote STRING (words of the document; empty where the description has none)
// order:   Name, id, place of the sentence, Document, place in it
// source:  GraphRAG
MATCH (n:KgEntity|KgFact)
WHERE n.graph = $graph AND n.summary_sources IS NOT NULL
CALL (n) {
  OPTIONAL MATCH (a:KgEntity {id: coalesce(n.source_id, n.source_key)})
  WHERE a.graph = $graph
  OPTIONAL MATCH (b:KgEntity {id: coalesce(n.target_id, n.target_key)})
  WHERE b.graph = $graph
  RETURN coalesce(n.name, a.name + ' ' + n.type + ' ' + b.name) AS Name
}
UNWIND n.summary_sources AS source
WITH n, Name, split(source, ' ') AS part
WITH n, Name, toInteger(part[0]) AS start, toInteger(part[1]) AS end, part[2] AS chunk, toInteger(part[3]) AS row
MATCH (c:KgChunk {id: chunk})
WHERE c.graph = $graph
MATCH (n)-[m:MENTIONED_IN|STATED_IN]->(c)
WHERE c.graph = $graph AND m.row = row
MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE d.graph = $graph
RETURN Name, substring(n.summary, start, end - start) AS Sentence, n.summary_method AS Made, m.description AS Description,
       d.title AS Document, coalesce(m.quote, '') AS Quote
ORDER BY Name, n.id, start, Document, d.id, c.index, row
LIMIT $limit
