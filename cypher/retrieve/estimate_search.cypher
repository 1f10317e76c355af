// title:   Memory that the projection of a graph for searching takes
// purpose: The projection and one walk over it, and the heap that the server has left.
// mode:    read
// params:  $graph STRING (graph name, default main); $tree STRING (name of the trees that are projected, too, or null)
// columns: required_bytes INTEGER, available_bytes INTEGER
// order:   none
// source:  kg-neo4j
CALL () {
  MATCH (e:KgEntity) WHERE e.graph = $graph
  RETURN count(e) AS entities, sum(COUNT { (e)-[:MENTIONED_IN]->() }) AS mentions
}
CALL () {
  MATCH (c:KgChunk) WHERE c.graph = $graph
  RETURN count(c) AS chunks
}
CALL () {
  MATCH (:KgTree {name: $tree})<-[:IN_TREE]-(s:KgTreeNode)
  WHERE s.graph = $graph
  RETURN count(s) AS nodes, sum(COUNT { (s)-[:SUMMARISES]->() }) AS parts
}
CALL () {
  MATCH (:KgTree {name: $tree})-[:HAS_LEAF]->(s:KgTreeNode)
  WHERE s.graph = $graph
  RETURN count(s) AS passages, sum(COUNT { (s)-[:OVERLAPS]->() }) AS overlaps
}
WITH {nodeCount: entities + chunks + nodes + passages,
      relationshipCount: 3 * mentions + 2 * (parts + overlaps + passages), nodeProjection: '*',
      relationshipProjection: {R: {type: '*', properties: 'weight'}}} AS size
CALL gds.graph.project.estimate('*', size.relationshipProjection,
                                {nodeCount: size.nodeCount, relationshipCount: size.relationshipCount})
YIELD bytesMin AS projection
CALL gds.pageRank.stats.estimate(size, {concurrency: 1}) YIELD bytesMin AS walk
CALL gds.debug.sysInfo() YIELD key, value
WITH projection + walk AS required_bytes, key, value
WHERE key = 'availableHeapInBytes'
RETURN required_bytes, toInteger(value) AS available_bytes
