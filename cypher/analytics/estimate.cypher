// title:   Memory that analysing a graph takes
// purpose: Projection, with what is kept in it, and the hungriest algorithm together, and the heap that the server has left.
//          Kept are seven values and up to ten communities a node; what a projection is made from counts as an algorithm:
//          three lists, about 28 bytes a place.
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
CALL gds.kcore.stats.estimate(size, {concurrency: 1}) YIELD bytesMin AS core
CALL gds.bridges.stream.estimate(size, {concurrency: 1}) YIELD bytesMin AS bridges
CALL gds.articulationPoints.stats.estimate(size, {concurrency: 1}) YIELD bytesMin AS articulation
CALL gds.debug.sysInfo() YIELD key, value
WITH * WHERE key = 'availableHeapInBytes'
WITH projection + (7 + 12) * 8 * $nodes AS kept,
     [leiden, betweenness, core, bridges, articulation, 3 * 28 * $pairs] AS algorithms, value
RETURN kept + reduce(most = 0, each IN algorithms | CASE WHEN each > most THEN each ELSE most END) AS required_bytes,
       toInteger(value) AS available_bytes
