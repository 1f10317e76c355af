// title:   Nodes of trees that filters take away
// purpose: Every leaf that rests on a chunk which filters do not leave, and every node that descends to such a leaf.
// mode:    read
// params:  $graph STRING (graph name, default main); $trees LIST<STRING> (ids)
// columns: ids LIST<STRING>
// order:   none; the list is in ascending order
// source:  kg-neo4j
UNWIND $trees AS tree
MATCH (t:KgTree {id: tree})-[:HAS_LEAF]->(leaf)
WHERE t.graph = $graph
  AND ((leaf:KgChunk AND NOT true /* left: chunk leaf */)
       OR EXISTS { (leaf)-[:OVERLAPS]->(c:KgChunk) WHERE NOT true /* left: chunk c */ })
WITH DISTINCT leaf
CALL (leaf) {
  RETURN leaf AS node
  UNION
  MATCH (leaf)<-[:SUMMARISES|DETAILS*1..6]-(node:KgTreeNode)
  RETURN DISTINCT node
}
WITH DISTINCT node.id AS id ORDER BY id
RETURN collect(id) AS ids
