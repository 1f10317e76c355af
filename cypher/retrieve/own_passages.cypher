// title:   Documents that may be about entities
// purpose: For each entity the documents with its names in their title, and the chunk that each begins with; which are about it
//          is told by comparing the names.
// mode:    read
// params:  $graph STRING (graph name, default main); $phrases LIST<STRING> (full-text queries, one for each entity);
//          $first INTEGER (documents to look at, >= 1, default 20)
// columns: place INTEGER (index of the phrase), chunk STRING, names LIST<STRING> (of the document)
// order:   place, then chunk
// source:  kg-neo4j
UNWIND range(0, size($phrases) - 1) AS place
CALL db.index.fulltext.queryNodes('kg_document_text', $phrases[place], {limit: $first}) YIELD node AS d
WHERE d.graph = $graph
MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk {index: 0})
RETURN place, c.id AS chunk, [d.title] + coalesce(d.redirects, []) AS names
ORDER BY place, chunk
