// title:   Database information
// purpose: Nodes, relationships, labels, types and property keys of one graph, as the panel of Neo4j Browser shows them
//          for the whole database; documents, chunks and evidence included.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Kind STRING, Name STRING, Count INTEGER (nodes and relationships that have it)
// order:   nodes, labels, relationships, types, properties of nodes, properties of relationships; in each Count descending, then Name
// source:  W1
CALL () {
  MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)
  WHERE n.graph = $graph
  RETURN 1 AS place, 'Nodes' AS Kind, '' AS Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)
  WHERE n.graph = $graph
  UNWIND [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'] AS Name
  RETURN 2 AS place, 'Label' AS Kind, Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)-[r]->(m)
  WHERE n.graph = $graph AND m.graph = $graph
  RETURN 3 AS place, 'Relationships' AS Kind, '' AS Name, count(r) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)-[r]->(m)
  WHERE n.graph = $graph AND m.graph = $graph
  RETURN 4 AS place, 'Relationship type' AS Kind, type(r) AS Name, count(r) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)
  WHERE n.graph = $graph
  UNWIND keys(n) AS Name
  RETURN 5 AS place, 'Property of nodes' AS Kind, Name, count(n) AS Count
  UNION ALL
  MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgGraphState|KgTree|KgTreeNode)-[r]->(m)
  WHERE n.graph = $graph AND m.graph = $graph
  UNWIND keys(r) AS Name
  RETURN 6 AS place, 'Property of relationships' AS Kind, Name, count(r) AS Count
}
WITH place, Kind, Name, Count
ORDER BY place, Count DESC, Name
RETURN Kind, Name, Count
