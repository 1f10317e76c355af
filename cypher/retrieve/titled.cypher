// title:   Documents whose titles may stand in chunks
// purpose: For each chunk the documents with some of its words in their title, and the chunk that each begins with; which titles
//          stand in the text is told by comparing them.
// mode:    read
// params:  $graph STRING (graph name, default main); $chunks LIST<LIST> (id of a chunk, full-text query of its words);
//          $first INTEGER (documents to look at, >= 1, default 50)
// columns: chunk STRING, titled STRING (first chunk of the document), names LIST<STRING> (of the document)
// order:   chunk, then titled
// source:  kg-neo4j
UNWIND $chunks AS each
CALL db.index.fulltext.queryNodes('kg_document_text', each[1], {limit: $first}) YIELD node AS d
WHERE d.graph = $graph
MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk {index: 0})
WHERE NOT EXISTS { (d)<-[:IN_DOCUMENT]-(:KgChunk {id: each[0]}) } AND true /* left: document d */
RETURN each[0] AS chunk, c.id AS titled, [d.title] + coalesce(d.redirects, []) AS names
ORDER BY chunk, titled
