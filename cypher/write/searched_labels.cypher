// title:   Labels of a graph that a search reads
// purpose: A missing index matters only where there are nodes to find; asked only if one is missing.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: label STRING, nodes BOOLEAN (the graph has some), vectors BOOLEAN (some have a vector)
// order:   as given
// source:  kg-neo4j
UNWIND [
  {label: 'Chunk', nodes: EXISTS { MATCH (:Chunk {graph: $graph}) },
   vectors: EXISTS { MATCH (n:Chunk {graph: $graph}) WHERE n.embedding IS NOT NULL }},
  {label: 'Document', nodes: EXISTS { MATCH (:Document {graph: $graph}) }, vectors: false},
  {label: 'Entity', nodes: EXISTS { MATCH (:Entity {graph: $graph}) },
   vectors: EXISTS { MATCH (n:Entity {graph: $graph}) WHERE n.embedding IS NOT NULL }},
  {label: 'Fact', nodes: EXISTS { MATCH (:Fact {graph: $graph}) },
   vectors: EXISTS { MATCH (n:Fact {graph: $graph}) WHERE n.embedding IS NOT NULL }},
  {label: 'TreeNode', nodes: EXISTS { MATCH (:TreeNode {graph: $graph}) },
   vectors: EXISTS { MATCH (n:TreeNode {graph: $graph}) WHERE n.embedding IS NOT NULL }}
] AS row
RETURN row.label AS label, row.nodes AS nodes, row.vectors AS vectors
