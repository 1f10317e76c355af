// title:   Begin a narrative tree
// purpose: The node that answers hang on, until the tree is whole.
// mode:    write
// params:  $graph STRING (graph name, default main); $document_id STRING (document id); $id STRING (tree id);
//          $name STRING (of the tree)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (d:KgDocument {id: $document_id})
WHERE d.graph = $graph
MERGE (t:KgTree:Tree {id: $id})
ON CREATE SET t.graph = $graph, t.document_id = $document_id, t.name = $name, t.complete = false
MERGE (t)-[:TREE_OF]->(d)
