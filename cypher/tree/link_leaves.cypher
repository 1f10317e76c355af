// title:   Link a narrative tree to its leaves
// purpose: Chunks of its document, or passages; those that are not its leaves any more are let go.
// mode:    write
// params:  $graph STRING (graph name, default main); $tree STRING (tree id); $chunks LIST<STRING> (ids);
//          $nodes LIST<STRING> (ids of passages)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $tree})
WHERE t.graph = $graph
CALL (t) {
  MATCH (t)-[old:HAS_LEAF]->(n)
  WHERE NOT n.id IN $chunks AND NOT n.id IN $nodes
  DELETE old
}
CALL (t) {
  UNWIND $chunks AS id
  MATCH (c:KgChunk {id: id})
  WHERE c.graph = $graph
  MERGE (t)-[:HAS_LEAF]->(c)
}
CALL (t) {
  UNWIND $nodes AS id
  MATCH (n:KgTreeNode {id: id})
  WHERE n.graph = $graph
  MERGE (t)-[:HAS_LEAF]->(n)
}
