// title:   Failed chunks
// purpose: What `kg quarantine` lists besides rows: chunks that were asked about and are not done, and why.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: document STRING (title), chunk INTEGER (its place in the document, from 0), chunk_id STRING,
//          outcome STRING (truncated, refused, filtered, too_long or failed), reason STRING
// order:   document, chunk, then id
// source:  kg-neo4j
MATCH (d:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
WHERE c.outcome IS NOT NULL AND NOT c.done
RETURN d.title AS document, c.index AS chunk, c.id AS chunk_id, c.outcome AS outcome,
       coalesce(c.outcome_reason, '') AS reason
ORDER BY document, chunk, chunk_id
