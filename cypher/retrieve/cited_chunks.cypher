// title:   Chunks that an answer cites
// purpose: Whether they are still there when the answer is given, word for word; where the pages of a PDF begin, and the line of a table;
//          and what a person corrected in them.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of chunks)
// columns: id STRING, text STRING, start INTEGER (in the document), line INTEGER (of a table; null: none),
//          row STRING (what a row of another graph is called there; null: none),
//          pages LIST<INTEGER> (where each begins; null: no pages),
//          corrections LIST<LIST> (start and end of the words, what is wrong, what is right or empty, why or empty)
// order:   id
// source:  kg-neo4j
UNWIND $ids AS each
MATCH (c:KgChunk {id: each})
WHERE c.graph = $graph
RETURN c.id AS id, c.text AS text, c.start AS start, c.line AS line,
       CASE WHEN c.line IS NULL THEN null ELSE c.section END AS row,
       head(COLLECT { MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument) RETURN d.pages }) AS pages,
       COLLECT {
         MATCH (c)<-[s:STATED_IN]-(:KgFact)<-[:CORRECTS]-(d:KgDecision)
         WHERE s.wrong IS NOT NULL
         WITH DISTINCT coalesce(s.quote_start, 0) AS start, coalesce(s.other_quotes[-1], s.quote_end, size(c.text)) AS end, d
         ORDER BY start, end, d.id
         RETURN [start, end, d.left_name, coalesce(d.right_name, ''), coalesce(d.reason, '')]
       } AS corrections
ORDER BY id
