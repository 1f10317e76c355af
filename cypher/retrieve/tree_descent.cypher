// title:   From nodes of a tree to the chunks they rest on
// purpose: Everything beneath what was found: the ways down, and the leaves with their words in chunks.
// mode:    read
// params:  $graph STRING (graph name, default main); $nodes LIST<STRING> (ids: chunks, passages, summaries, details);
//          $vector LIST<FLOAT> (of the question; leaves nearest to it come first); $limit INTEGER (leaves, >= 1, default 400)
// columns: edges LIST<ANY> ([id, id of what it was made from]),
//          nodes LIST<MAP> (id, kind summary, detail or passage, aspect, level, number),
//          leaves LIST<MAP> (one for each part in a chunk: id, chunk_id, start, end, text, tokens, section, document)
// order:   none; the lists are in ascending order of ids, leaves nearest first
// source:  the narrative thesis
CALL () {
  UNWIND $nodes AS id
  MATCH (n:KgTreeNode {id: id})
  WHERE n.graph = $graph
  MATCH (n)-[:SUMMARISES|DETAILS*0..6]->(m)
  RETURN collect(DISTINCT m) AS beneath
}
CALL () {
  UNWIND $nodes AS id
  MATCH (c:KgChunk {id: id})
  WHERE c.graph = $graph
  RETURN collect(DISTINCT c) AS read
}
CALL (beneath) {
  UNWIND beneath AS m
  MATCH (m)-[:SUMMARISES|DETAILS]->(child)
  WITH m.id AS parent, child.id AS child ORDER BY parent, child
  RETURN collect([parent, child]) AS edges
}
CALL (beneath) {
  UNWIND beneath AS m
  WITH m WHERE m:KgTreeNode
  WITH m ORDER BY m.id
  RETURN collect({id: m.id, kind: CASE WHEN m:Summary THEN 'summary' WHEN m:Detail THEN 'detail' ELSE 'passage' END,
                  aspect: coalesce(m.aspect, ''), level: coalesce(m.level, 0), number: coalesce(m.number, m.index, 0)}) AS nodes
}
CALL (beneath, read) {
  UNWIND read + beneath AS leaf
  WITH DISTINCT leaf WHERE leaf:KgChunk OR leaf:Leaf
  WITH leaf ORDER BY leaf.id IN $nodes DESC,
                     CASE WHEN size(leaf.embedding) = size($vector) THEN vector.similarity.cosine(leaf.embedding, $vector) ELSE 0 END DESC,
                     leaf.id LIMIT $limit
  CALL (leaf) {
    WITH leaf WHERE leaf:KgChunk
    RETURN leaf AS c, 0 AS start, size(leaf.text) AS end
    UNION ALL
    MATCH (leaf)-[o:OVERLAPS]->(c:KgChunk)
    RETURN c, o.start AS start, o.end AS end
  }
  MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
  WITH leaf, c, start, end, d ORDER BY leaf.id IN $nodes DESC,
       CASE WHEN size(leaf.embedding) = size($vector) THEN vector.similarity.cosine(leaf.embedding, $vector) ELSE 0 END DESC,
       leaf.id, c.index
  RETURN collect({id: leaf.id, chunk_id: c.id, start: start, end: end, text: c.text, tokens: c.token_count,
                  section: c.section, document: d.title}) AS leaves
}
RETURN edges, nodes, leaves
