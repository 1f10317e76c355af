// title:   Documents and their narrative trees
// purpose: Which trees of one name can be searched, and what is wrong with the others.
// mode:    read
// params:  $graph STRING (graph name, default main); $name STRING (of the trees)
// columns: document STRING, title STRING, tree STRING (id, or null: the document has none), complete BOOLEAN,
//          fingerprint STRING (of the chunks that it was built from), chunks LIST<ANY> ([id, start, end] of those of today; of
//          documents with a whole tree alone), aspects LIST<STRING>
// order:   title, then document
// source:  the narrative thesis
MATCH (d:KgDocument)
WHERE d.graph = $graph AND true /* left: document d */
OPTIONAL MATCH (t:KgTree {name: $name})-[:TREE_OF]->(d)
WHERE t.graph = $graph
RETURN d.id AS document, d.title AS title, t.id AS tree, coalesce(t.complete, false) AS complete, t.fingerprint AS fingerprint,
       COLLECT {
         MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk)
         WHERE t.complete
         RETURN [c.id, c.start, c.end]
         ORDER BY c.index, c.id
       } AS chunks,
       COLLECT { MATCH (s:KgTreeNode {tree: t.id}) WHERE s:Summary RETURN DISTINCT s.aspect ORDER BY s.aspect } AS aspects
ORDER BY title, document
