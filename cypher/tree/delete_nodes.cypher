// title:   Delete nodes of a narrative tree
// purpose: What a tree does not have any more.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (of passages, summaries and details)
// columns: none
// order:   none
// source:  the narrative thesis
UNWIND $ids AS id
MATCH (n:KgTreeNode {id: id})
WHERE n.graph = $graph
DETACH DELETE n
