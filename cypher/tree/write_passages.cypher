// title:   Write passages of a narrative tree
// purpose: Leaves that were cut for the tree, and which chunks they share text with.
// mode:    write
// params:  $graph STRING (graph name, default main); $tree STRING (tree id);
//          $rows LIST<MAP> (id, properties, embedding, embedding_hash, chunks and nodes: ids and numbers)
// columns: none
// order:   none
// source:  the narrative thesis
UNWIND $rows AS row
MERGE (n:KgTreeNode:TreeNode {id: row.id})
SET n:Leaf, n += row.properties, n.graph = $graph, n.tree = $tree,
    n.embedding = row.embedding, n.embedding_hash = row.embedding_hash
WITH n, row
CALL (n) {
  MATCH (n)-[old:OVERLAPS]->()
  DELETE old
}
CALL (n, row) {
  UNWIND row.chunks AS link
  MATCH (c:KgChunk {id: link[0]})
  WHERE c.graph = $graph
  CREATE (n)-[:OVERLAPS {start: link[1], end: link[2]}]->(c)
}
