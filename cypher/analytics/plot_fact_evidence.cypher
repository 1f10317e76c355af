// title:   Evidence of a picture's relationships
// purpose: What a click on a relationship shows: its description, and the words that state it.
// mode:    read
// params:  $graph STRING (graph name, default main); $keys LIST<STRING> (fact_id of each relationship);
//          $quotes INTEGER (of a fact, >= 1, default 8); $hub INTEGER (statements of one fact to look at, >= 1, default 2000)
// columns: Key STRING (of the fact), Description STRING (empty where there is none), Evidence INTEGER (rows that state it),
//          Quotes LIST<LIST> (chunk, start and end of the words in its text, the words, title of the document, with the line of a table)
// order:   none
// source:  kg-neo4j
UNWIND $keys AS fact
MATCH (f:KgFact {id: fact})
WHERE f.graph = $graph
RETURN fact AS Key, coalesce(f.summary, f.description, '') AS Description, coalesce(f.evidence_count, 0) AS Evidence,
       COLLECT {
         MATCH (f)-[s:STATED_IN]->(c:KgChunk)
         WHERE s.stated IS NULL
         WITH s, c LIMIT $hub
         WITH s, c ORDER BY s.quote_start IS NULL, c.document_id, c.index, s.row LIMIT $quotes
         OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
         RETURN [c.id, s.quote_start, s.quote_end, s.quote, d.title + coalesce(', line ' + toString(c.line), '')]
       } AS Quotes
