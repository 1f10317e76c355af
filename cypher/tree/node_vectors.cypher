// title:   Vectors of a tree
// purpose: A text that has a vector is not embedded again: of nodes of the tree, and of what is not published yet.
// mode:    read
// params:  $graph STRING (graph name, default main); $tree STRING (tree id); $hashes LIST<STRING> (of text and model)
// columns: hash STRING, embedding LIST<FLOAT>
// order:   none
// source:  the narrative thesis
CALL () {
  MATCH (n:KgTreeNode)
  WHERE n.tree = $tree AND n.graph = $graph AND n.embedding_hash IN $hashes
  RETURN n.embedding_hash AS hash, n.embedding AS embedding
  UNION
  MATCH (a:KgAnswer)-[:ANSWERS]->(t:KgTree {id: $tree})
  WHERE t.graph = $graph AND a.kind = 'vector' AND a.hash IN $hashes
  RETURN a.hash AS hash, a.embedding AS embedding
}
WITH hash, embedding
WHERE embedding IS NOT NULL
RETURN hash, embedding
