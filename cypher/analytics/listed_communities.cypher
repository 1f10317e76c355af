// title:   Communities with their reports and members
// purpose: What `kg communities` lists.
// mode:    read
// params:  $graph STRING (graph name, default main); $level INTEGER (0 is the coarsest; null: all levels);
//          $smallest INTEGER (members a community has at least, >= 1, default 2);
//          $members INTEGER (members to name, >= 0, default 5); $limit INTEGER (rows, >= 1, default 20)
// columns: id STRING, level INTEGER, number INTEGER, size INTEGER, parent INTEGER (number of the one that it is part of),
//          title STRING, rating FLOAT, method STRING, flags LIST<STRING>, members LIST<STRING> (those of highest PageRank)
// order:   level, then size descending, then number
// source:  the length study
MATCH (c:KgCommunity)
WHERE c.graph = $graph AND ($level IS NULL OR c.level = $level) AND c.size >= $smallest
WITH c ORDER BY c.level, c.size DESC, c.number LIMIT $limit
CALL (c) {
  MATCH (c)<-[:CHILD_OF]-{0,20}(part:KgCommunity)<-[:IN_COMMUNITY]-(e:KgEntity)
  WHERE part.graph = $graph AND e.graph = $graph
  WITH e ORDER BY e.pagerank DESC, e.name, e.id LIMIT $members
  RETURN collect(e.name) AS members
}
RETURN c.id AS id, c.level AS level, c.number AS number, c.size AS size,
       head([(c)-[:CHILD_OF]->(p:KgCommunity) WHERE p.graph = $graph | p.number]) AS parent,
       c.title AS title, c.rating AS rating, c.report_method AS method, coalesce(c.report_flags, []) AS flags, members
ORDER BY level, size DESC, number
