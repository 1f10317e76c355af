// title:   Publish a narrative tree
// purpose: It is whole from now on. What was kept for a run that might be stopped leaves: vectors that stand on nodes
//          now, and answers that nothing of the tree rests on.
// mode:    write
// params:  $graph STRING (graph name, default main); $id STRING (tree id); $properties MAP (fingerprint, settings, fit, ...)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $id})
WHERE t.graph = $graph
SET t += $properties, t.complete = true
WITH t
CALL (t) {
  MATCH (n:KgTreeNode)
  WHERE n.tree = t.id AND n.graph = $graph
  UNWIND n.answers AS id
  RETURN collect(id) AS used
}
WITH t, used + coalesce(t.answers, []) AS used
MATCH (a:KgAnswer)-[:ANSWERS]->(t)
WHERE a.kind = 'vector' OR NOT a.id IN used
DETACH DELETE a
