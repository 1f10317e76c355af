// title:   Write details of a narrative tree
// purpose: Condensed notes on single leaves, which are there already.
// mode:    write
// params:  $graph STRING (graph name, default main); $tree STRING (tree id);
//          $rows LIST<MAP> (id, properties, embedding, embedding_hash, chunks and nodes: ids)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $tree})
WHERE t.graph = $graph
UNWIND $rows AS row
MERGE (n:KgTreeNode:TreeNode {id: row.id})
SET n:Detail, n += row.properties, n.graph = $graph, n.tree = $tree,
    n.embedding = row.embedding, n.embedding_hash = row.embedding_hash
MERGE (n)-[:IN_TREE]->(t)
WITH n, row
CALL (n) {
  MATCH (n)-[old:DETAILS]->()
  DELETE old
}
CALL (n, row) {
  UNWIND row.chunks AS link
  MATCH (c:KgChunk {id: link[0]})
  WHERE c.graph = $graph
  CREATE (n)-[:DETAILS]->(c)
}
CALL (n, row) {
  UNWIND row.nodes AS link
  MATCH (m:KgTreeNode {id: link[0]})
  WHERE m.graph = $graph
  CREATE (n)-[:DETAILS]->(m)
}
