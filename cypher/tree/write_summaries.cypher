// title:   Write summaries of a narrative tree
// purpose: Of one level; what they summarise is there already.
// mode:    write
// params:  $graph STRING (graph name, default main); $tree STRING (tree id);
//          $rows LIST<MAP> (id, properties, embedding, embedding_hash, chunks and nodes: ids, each with its probability)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $tree})
WHERE t.graph = $graph
UNWIND $rows AS row
MERGE (n:KgTreeNode:TreeNode {id: row.id})
SET n:Summary, n += row.properties, n.graph = $graph, n.tree = $tree,
    n.embedding = row.embedding, n.embedding_hash = row.embedding_hash
MERGE (n)-[:IN_TREE]->(t)
WITH n, row
CALL (n) {
  MATCH (n)-[old:SUMMARISES]->()
  DELETE old
}
CALL (n, row) {
  UNWIND row.chunks AS link
  MATCH (c:KgChunk {id: link[0]})
  WHERE c.graph = $graph
  CREATE (n)-[:SUMMARISES {probability: link[1]}]->(c)
}
CALL (n, row) {
  UNWIND row.nodes AS link
  MATCH (m:KgTreeNode {id: link[0]})
  WHERE m.graph = $graph
  CREATE (n)-[:SUMMARISES {probability: link[1]}]->(m)
}
