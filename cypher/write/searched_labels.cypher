// title:   Labels of a graph that a search reads
// purpose: A missing index matters only where there are nodes to find; asked only if one is missing.
// mode:    read
// params:  $graph STRING (graph name, default main);
//          $looked_at INTEGER (nodes of each label that are looked at for a vector, >= 1, default 1000)
// columns: label STRING, nodes BOOLEAN (the graph has some), vectors BOOLEAN (some of these have a vector)
// order:   as given
// source:  kg-neo4j
UNWIND [
  {label: 'Chunk', nodes: EXISTS { MATCH (:KgChunk {graph: $graph}) },
   vectors: EXISTS { MATCH (n:KgChunk {graph: $graph}) WITH n LIMIT $looked_at WHERE n.embedding IS NOT NULL }},
  {label: 'Document', nodes: EXISTS { MATCH (:KgDocument {graph: $graph}) }, vectors: false},
  {label: 'Entity', nodes: EXISTS { MATCH (:KgEntity {graph: $graph}) },
   vectors: EXISTS { MATCH (n:KgEntity {graph: $graph}) WITH n LIMIT $looked_at WHERE n.embedding IS NOT NULL }},
  {label: 'Fact', nodes: EXISTS { MATCH (:KgFact {graph: $graph}) },
   vectors: EXISTS { MATCH (n:KgFact {graph: $graph}) WITH n LIMIT $looked_at WHERE n.embedding IS NOT NULL }},
  {label: 'Passage', nodes: EXISTS { MATCH (:KgPassage {graph: $graph}) },
   vectors: EXISTS { MATCH (n:KgPassage {graph: $graph}) WITH n LIMIT $looked_at WHERE n.embedding IS NOT NULL }},
  {label: 'TreeNode', nodes: EXISTS { MATCH (:KgTreeNode {graph: $graph}) },
   vectors: EXISTS { MATCH (n:KgTreeNode {graph: $graph}) WITH n LIMIT $looked_at WHERE n.embedding IS NOT NULL }}
] AS row
RETURN row.label AS label, row.nodes AS nodes, row.vectors AS vectors
