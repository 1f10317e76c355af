// title:   Leaves of a narrative tree, for its picture
// purpose: The texts at the bottom of the picture, in the order in which they stand in the document.
// mode:    read
// params:  $graph STRING (graph name, default main); $tree STRING (tree id)
// columns: id STRING, text STRING
// order:   place in the document, then id
// source:  the narrative thesis
MATCH (t:KgTree {id: $tree})-[:HAS_LEAF]->(n)
WHERE t.graph = $graph AND n.graph = $graph
RETURN n.id AS id, n.text AS text
ORDER BY n.index, n.id
