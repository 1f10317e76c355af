// title:   Link entities to nodes of another graph
// purpose: One SAME_AS a row; nothing of the node changes.
// mode:    write
// params:  $rows LIST<MAP> (entity id, element id of the node, properties of the link)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {id: row.entity})
MATCH (n)
WHERE elementId(n) = row.node
CREATE (e)-[r:SAME_AS]->(n)
SET r = row.properties
