// title:   Isolated nodes
// purpose: Entities that nothing is said of but that they exist; often a name to resolve, or a relationship that was missed.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 100)
// columns: Node STRING, NodeType STRING, Evidence INTEGER (rows that mention it), Document STRING (the first that mentions it)
// order:   Evidence descending, then Node, then NodeType, then id
// source:  the graph article
MATCH (n:KgEntity)
WHERE n.graph = $graph
  AND NOT EXISTS { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph }
WITH n ORDER BY n.evidence_count DESC, n.name, n.type, n.id LIMIT $limit
CALL (n) {
  OPTIONAL MATCH (n)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE d.graph = $graph
  RETURN d.title AS Document ORDER BY d.title, d.id LIMIT 1
}
RETURN n.name AS Node, n.type AS NodeType, n.evidence_count AS Evidence, Document
ORDER BY Evidence DESC, Node, NodeType, n.id
