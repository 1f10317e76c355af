// title:   Labels of our own for nodes of version 0.1
// purpose: Repeated until nothing is left. Nodes of other programs under the same labels have no property `graph`, or
//          other ids.
// mode:    write
// params:  $limit INTEGER (nodes of each label at a time, >= 1)
// columns: labelled INTEGER
// order:   none
// source:  kg-neo4j
CALL () {
  MATCH (n:Answer)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgAnswer
  WITH n LIMIT $limit
  SET n:KgAnswer
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Chunk)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgChunk
  WITH n LIMIT $limit
  SET n:KgChunk
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Community)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgCommunity
  WITH n LIMIT $limit
  SET n:KgCommunity
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Decision)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgDecision
  WITH n LIMIT $limit
  SET n:KgDecision
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Document)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgDocument
  WITH n LIMIT $limit
  SET n:KgDocument
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Entity)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgEntity
  WITH n LIMIT $limit
  SET n:KgEntity
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Fact)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgFact
  WITH n LIMIT $limit
  SET n:KgFact
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Tree)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgTree
  WITH n LIMIT $limit
  SET n:KgTree
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:TreeNode)
  WHERE n.graph IS NOT NULL AND n.id =~ '[0-9a-f]{32}' AND NOT n:KgTreeNode
  WITH n LIMIT $limit
  SET n:KgTreeNode
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:GraphState)
  WHERE n.graph IS NOT NULL AND n.version IS NOT NULL AND NOT n:KgGraphState
  WITH n LIMIT $limit
  SET n:KgGraphState
  RETURN count(*) AS nodes
  UNION ALL
  MATCH (n:Lease)
  WHERE n.graph IS NOT NULL AND n.expires IS NOT NULL AND NOT n:KgLease
  WITH n LIMIT $limit
  SET n:KgLease
  RETURN count(*) AS nodes
}
RETURN sum(nodes) AS labelled
