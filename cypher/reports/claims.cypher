// title:   What is claimed
// purpose: Each place that claims something of one node about another, and what became of it there. A load asks for claims
//          with --schema lean+claims.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 100)
// columns: Subject STRING, Claim STRING, Object STRING, Status STRING (TRUE, FALSE or SUSPECTED), Start STRING (date),
//          Description STRING, Document STRING, Quote STRING
// order:   Subject, Claim, Object, Document, place in it
// source:  GraphRAG
MATCH (f:KgFact)
WHERE f.graph = $graph AND f.status IS NOT NULL AND f.stated = false
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
WHERE a.graph = $graph
MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
WHERE b.graph = $graph
MATCH (f)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE c.graph = $graph AND s.status IS NOT NULL
RETURN a.name AS Subject, f.type AS Claim, b.name AS Object, s.status AS Status, toString(s.start_date) AS Start,
       s.description AS Description, d.title AS Document, s.quote AS Quote
ORDER BY Subject, Claim, Object, Document, d.id, c.index, s.row
LIMIT $limit
