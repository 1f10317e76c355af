// title:   The first chunk of each document
// purpose: A question about the whole is answered from a passage of each document, not from the best of one of them.
// mode:    read
// params:  $graph STRING (graph name, default main); $most INTEGER (documents, >= 1)
// columns: id STRING, text STRING, tokens INTEGER, section STRING, document STRING (title), language STRING, score FLOAT, near LIST<LIST>
// order:   document, then id
// source:  kg-neo4j
MATCH (d:KgDocument)<-[:IN_DOCUMENT]-(c:KgChunk {index: 0})
WHERE d.graph = $graph AND c.graph = $graph AND true /* left: document d */
RETURN c.id AS id, c.text AS text, c.token_count AS tokens, c.section AS section, d.title AS document, d.language AS language,
       0.0 AS score, [] AS near
ORDER BY document, id LIMIT $most
