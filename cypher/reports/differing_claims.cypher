// title:   Claims on which the texts differ
// purpose: What is claimed of a node, where one place establishes such a claim and another refutes it or leaves it open.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 50)
// columns: Subject STRING, Claim STRING, Status STRING, Places INTEGER (that give this status), Object STRING (of the first of
//          these), Document STRING (likewise), Quote STRING (its words)
// order:   Subject, Claim, Places descending, Status, id
// source:  kg-neo4j
MATCH (f:KgFact)
WHERE f.graph = $graph AND f.status IS NOT NULL AND f.stated = false
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
WHERE a.graph = $graph
MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
WHERE b.graph = $graph
MATCH (f)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE c.graph = $graph AND s.status IS NOT NULL
WITH f.type AS Claim, a, b, s, c, d ORDER BY d.title, d.id, c.index, s.row
WITH a, Claim, s.status AS Status, count(s) AS places, head(collect({object: b.name, document: d.title, quote: s.quote})) AS first
WITH a, Claim, collect({status: Status, places: places, first: first}) AS found
WHERE size(found) > 1
UNWIND found AS each
RETURN a.name AS Subject, Claim, each.status AS Status, each.places AS Places, each.first.object AS Object,
       each.first.document AS Document, each.first.quote AS Quote
ORDER BY Subject, Claim, Places DESC, Status, a.id
LIMIT $limit
