// title:   Database information
// purpose: What one graph consists of, as the panel of Neo4j Browser shows it for the whole database: nodes are the entities,
//          labels their types, relationships those between entities. Nodes without relationships are counted apart, too.
//          What kg-neo4j keeps besides is listed apart, as bookkeeping: documents, chunks, evidence, communities, trees,
//          answers, vectors.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Kind STRING, Name STRING, Count INTEGER (nodes and relationships that have it)
// order:   nodes, labels, relationships, types, properties of nodes, properties of relationships, then the same of bookkeeping; in each Count descending, then Name
// source:  the Wikipedia report
CALL () {
  MATCH (n:KgEntity)
  WHERE n.graph = $graph
  WITH count(n) AS Count
  RETURN 1 AS place, 'Nodes' AS Kind, '' AS Name, Count
  UNION ALL
  MATCH (n:KgEntity)
  WHERE n.graph = $graph AND NOT EXISTS { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph }
  WITH count(n) AS Count
  RETURN 1 AS place, 'Nodes' AS Kind, 'without relationships' AS Name, Count
  UNION ALL
  MATCH (n:KgEntity)
  WHERE n.graph = $graph
  UNWIND [label IN labels(n) WHERE NOT label STARTS WITH 'Kg' AND NOT label IN ['Entity', 'Unsettled']] AS Name
  RETURN 2 AS place, 'Label' AS Kind, Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgEntity)-[r]->(m:KgEntity)
  WHERE n.graph = $graph AND m.graph = $graph
  WITH count(r) AS Count
  RETURN 3 AS place, 'Relationships' AS Kind, '' AS Name, Count
  UNION ALL
  MATCH (n:KgEntity)-[r]->(m:KgEntity)
  WHERE n.graph = $graph AND m.graph = $graph
  RETURN 4 AS place, 'Relationship type' AS Kind, type(r) AS Name, count(r) AS Count
  UNION ALL
  MATCH (n:KgEntity)
  WHERE n.graph = $graph
  UNWIND [key IN keys(n) WHERE NOT key IN ['embedding', 'embedding_hash', 'num', 'summary_hash', 'summary_method', 'summary_sources']] AS Name
  RETURN 5 AS place, 'Property of nodes' AS Kind, Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgEntity)-[r]->(m:KgEntity)
  WHERE n.graph = $graph AND m.graph = $graph
  UNWIND keys(r) AS Name
  RETURN 6 AS place, 'Property of relationships' AS Kind, Name, count(r) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgFact|KgGraphState|KgTree|KgTreeNode)
  WHERE n.graph = $graph
  WITH count(n) AS Count
  RETURN 7 AS place, 'Bookkeeping nodes' AS Kind, '' AS Name, Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgFact|KgGraphState|KgTree|KgTreeNode)
  WHERE n.graph = $graph
  UNWIND [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'] AS Name
  RETURN 8 AS place, 'Bookkeeping label' AS Kind, Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)-[r]->(m)
  WHERE n.graph = $graph AND m.graph = $graph AND NOT (n:KgEntity AND m:KgEntity)
  WITH count(r) AS Count
  RETURN 9 AS place, 'Bookkeeping relationships' AS Kind, '' AS Name, Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)-[r]->(m)
  WHERE n.graph = $graph AND m.graph = $graph AND NOT (n:KgEntity AND m:KgEntity)
  RETURN 10 AS place, 'Bookkeeping relationship type' AS Kind, type(r) AS Name, count(r) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)
  WHERE n.graph = $graph
  UNWIND [key IN keys(n) WHERE NOT n:KgEntity OR key IN ['embedding', 'embedding_hash', 'num', 'summary_hash', 'summary_method', 'summary_sources']] AS Name
  RETURN 11 AS place, 'Bookkeeping property of nodes' AS Kind, Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)-[r]->(m)
  WHERE n.graph = $graph AND m.graph = $graph AND NOT (n:KgEntity AND m:KgEntity)
  UNWIND keys(r) AS Name
  RETURN 12 AS place, 'Bookkeeping property of relationships' AS Kind, Name, count(r) AS Count
}
WITH place, Kind, Name, Count
ORDER BY place, Count DESC, Name
RETURN Kind, Name, Count
