// title:   Years on which the texts differ
// purpose: Entities whose births or deaths have several years: an error of a text, or two entities that were merged.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 50)
// columns: Node STRING, NodeType STRING, Property STRING, Year INTEGER, Places INTEGER (that give this year),
//          Document STRING (the first of these), Quote STRING (its words)
// order:   Node, Property, Places descending, Year, id
// source:  kg-neo4j
MATCH (n:KgEntity)-[m:MENTIONED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE n.graph = $graph AND d.graph = $graph
UNWIND ['birth_year', 'death_year'] AS Property
WITH n, Property, m[Property] AS Year, m, c, d
WHERE Year IS NOT NULL
ORDER BY d.title, d.id, c.index, m.row
WITH n, Property, Year, count(m) AS places, head(collect({document: d.title, quote: m.quote})) AS first
WITH n, Property, collect({year: Year, places: places, first: first}) AS found
WHERE size(found) > 1
UNWIND found AS each
RETURN n.name AS Node, n.type AS NodeType, Property, each.year AS Year, each.places AS Places,
       each.first.document AS Document, each.first.quote AS Quote
ORDER BY Node, Property, Places DESC, Year, n.id
LIMIT $limit
