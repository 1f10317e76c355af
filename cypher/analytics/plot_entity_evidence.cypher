// title:   Evidence of a picture's nodes
// purpose: What a click on a node shows: its description, and where sources mention it.
// mode:    read
// params:  $graph STRING (graph name, default main); $keys LIST<INTEGER> (num of each entity);
//          $quotes INTEGER (of an entity, >= 1, default 8); $hub INTEGER (mentions of one entity to look at, >= 1, default 2000)
// columns: Key INTEGER (num), Description STRING (empty where there is none), Evidence INTEGER (rows that mention it),
//          Quotes LIST<LIST> (chunk, start and end of the words in its text, the words, title of the document, with the line of a table)
// order:   none
// source:  kg-neo4j
UNWIND $keys AS num
MATCH (n:KgEntity {graph: $graph, num: num})
RETURN num AS Key, coalesce(n.summary, n.description, n.role, '') AS Description,
       coalesce(n.evidence_count, 0) AS Evidence,
       COLLECT {
         MATCH (n)-[m:MENTIONED_IN]->(c:KgChunk)
         WITH m, c LIMIT $hub
         WITH m, c ORDER BY m.quote_start IS NULL, c.document_id, c.index, m.row LIMIT $quotes
         OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
         RETURN [c.id, m.quote_start, m.quote_end, m.quote, d.title + coalesce(', line ' + toString(c.line), '')]
       } AS Quotes
