// title:   Texts of documents
// purpose: Tells which files quote them.
// mode:    read
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (document ids)
// columns: document STRING (id), sha256 STRING (of the text), text STRING (of a chunk)
// order:   document, then place in it
// source:  kg-neo4j
UNWIND $documents AS id
MATCH (d:KgDocument {id: id})<-[:IN_DOCUMENT]-(c:KgChunk)
WHERE d.graph = $graph
RETURN d.id AS document, d.sha256 AS sha256, c.text AS text
ORDER BY document, c.index
