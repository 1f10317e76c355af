// title:   Narrative trees of a graph
// purpose: What trees there are, whole or being built, and the chunks that their documents have now.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, name STRING, document_id STRING, title STRING, fingerprint STRING, complete BOOLEAN, chunks LIST<ANY>
// order:   title, then name, then id
// source:  the narrative thesis
MATCH (t:KgTree)-[:TREE_OF]->(d:KgDocument)
WHERE t.graph = $graph AND d.graph = $graph
RETURN t.id AS id, t.name AS name, d.id AS document_id, d.title AS title, t.fingerprint AS fingerprint,
       coalesce(t.complete, false) AS complete,
       COLLECT {
         MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
         RETURN [c.id, c.start, c.end]
         ORDER BY c.index, c.id
       } AS chunks
ORDER BY title, name, id
