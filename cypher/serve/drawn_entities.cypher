// title:   Entities to draw
// purpose: What a picture needs of entities that are known by id or by number.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities); $nums LIST<INTEGER> (entities)
// columns: id STRING, num INTEGER, name STRING, type STRING, community STRING (empty where none was found),
//          connections INTEGER (relationships in either direction)
// order:   connections descending, then name, num
// source:  kg-neo4j
CALL () {
  UNWIND $ids AS id
  MATCH (n:KgEntity {id: id})
  WHERE n.graph = $graph
  RETURN n
  UNION
  UNWIND $nums AS num
  MATCH (n:KgEntity {graph: $graph, num: num})
  RETURN n
}
RETURN n.id AS id, n.num AS num, n.name AS name, n.type AS type, coalesce(toString(n.community), '') AS community,
       COUNT { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]-(:KgEntity) } AS connections
ORDER BY connections DESC, name, num
