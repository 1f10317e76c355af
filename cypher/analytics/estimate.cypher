// title:   Memory that analysing a graph takes
// purpose: Projection and the hungriest algorithm together, and the heap that the server has left.
// mode:    read
// params:  $nodes INTEGER (entities, >= 1); $pairs INTEGER (folded pairs of related entities, >= 0)
// columns: required_bytes INTEGER, available_bytes INTEGER
// order:   none
// source:  kg-neo4j
WITH {R: {type: '*', orientation: 'UNDIRECTED', properties: 'weight'}} AS relationships
WITH relationships,
     {nodeCount: $nodes, relationshipCount: $pairs, nodeProjection: '*', relationshipProjection: relationships} AS size
CALL gds.graph.project.estimate('*', relationships, {nodeCount: $nodes, relationshipCount: $pairs})
YIELD bytesMin AS projection
CALL gds.leiden.stats.estimate(size, {includeIntermediateCommunities: true, concurrency: 1}) YIELD bytesMin AS leiden
CALL gds.betweenness.stats.estimate(size, {concurrency: 1}) YIELD bytesMin AS betweenness
CALL gds.debug.sysInfo() YIELD key, value
WITH projection + CASE WHEN leiden > betweenness THEN leiden ELSE betweenness END AS required_bytes, key, value
WHERE key = 'availableHeapInBytes'
RETURN required_bytes, toInteger(value) AS available_bytes
