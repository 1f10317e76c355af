// title:   Communities by size
// purpose: Which entities belong together, and who stands for each group.
// mode:    read
// params:  $graph STRING (graph name, default main); $level INTEGER (0 is the coarsest, >= 0, default 0);
//          $smallest INTEGER (members a community has at least, >= 1, default 2);
//          $members INTEGER (members to name, >= 0, default 5); $limit INTEGER (rows, >= 1, default 20)
// columns: Community INTEGER (number; Entity.community for level 0), Level INTEGER, Size INTEGER (members),
//          Members LIST<STRING> (those of highest PageRank)
// order:   Size descending, then Community
// source:  the length study
MATCH (c:KgCommunity)
WHERE c.graph = $graph AND c.level = $level AND c.size >= $smallest
WITH c ORDER BY c.size DESC, c.number LIMIT $limit
CALL (c) {
  MATCH (c)<-[:CHILD_OF]-{0,20}(part:KgCommunity)<-[:IN_COMMUNITY]-(e:KgEntity)
  WHERE part.graph = $graph AND e.graph = $graph
  WITH e ORDER BY e.pagerank DESC, e.name, e.id LIMIT $members
  RETURN collect(e.name) AS Members
}
RETURN c.number AS Community, c.level AS Level, c.size AS Size, Members
ORDER BY Size DESC, Community
