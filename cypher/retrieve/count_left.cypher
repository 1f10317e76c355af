// title:   How many chunks filters leave
// purpose: What a note on filters says; of a large graph only some chunks are looked at.
// mode:    read
// params:  $graph STRING (graph name, default main); $most INTEGER (chunks of documents that are left to look at, >= 1, default 10000)
// columns: seen INTEGER (chunks that were looked at), chunks INTEGER (of these, those that are left)
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument {graph: $graph})
WHERE true /* left: document d */
MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk)
WITH c LIMIT $most
RETURN count(c) AS seen, sum(CASE WHEN true /* left: chunk c */ THEN 1 ELSE 0 END) AS chunks
