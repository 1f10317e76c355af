// title:   A community, its place among others, and some of its members
// purpose: What a page shows beside the report: the community around it, those within it, and who belongs to it.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (community id);
//          $skip INTEGER (members before the page, >= 0, default 0); $limit INTEGER (members, >= 1, default 20);
//          $parts INTEGER (communities within it, >= 0, default 100)
// columns: level INTEGER, number INTEGER, size INTEGER, around LIST<MAP> (id, level, number, size, title; one or none),
//          within LIST<MAP> (likewise, the largest first), members LIST<MAP> (id, name, type, evidence; highest PageRank first)
// order:   none
// source:  kg-neo4j
MATCH (c:KgCommunity {id: $id})
WHERE c.graph = $graph
CALL (c) {
  MATCH (c)<-[:CHILD_OF]-{0,20}(part:KgCommunity)<-[:IN_COMMUNITY]-(e:KgEntity)
  WHERE part.graph = $graph AND e.graph = $graph
  WITH e ORDER BY e.pagerank DESC, e.name, e.id SKIP $skip LIMIT $limit
  RETURN collect({id: e.id, name: e.name, type: e.type, evidence: coalesce(e.evidence_count, 0)}) AS members
}
RETURN c.level AS level, c.number AS number, c.size AS size,
       COLLECT {
         MATCH (c)-[:CHILD_OF]->(p:KgCommunity)
         WHERE p.graph = $graph
         RETURN p {.id, .level, .number, .size, title: coalesce(p.title, '')} LIMIT 1
       } AS around,
       COLLECT {
         MATCH (p:KgCommunity)-[:CHILD_OF]->(c)
         WHERE p.graph = $graph
         RETURN p {.id, .level, .number, .size, title: coalesce(p.title, '')}
         ORDER BY p.size DESC, p.number LIMIT $parts
       } AS within,
       members
