// title:   Centrality within a community
// purpose: Who stands at the centre of one community, and who leads out of it: an entity with many connections and a small
//          share inside is a go-between.
// mode:    read
// params:  $graph STRING (graph name, default main); $community INTEGER (its number, >= 1, default 1);
//          $level INTEGER (0 is the coarsest, >= 0, default 0); $limit INTEGER (rows, >= 1, default 20)
// columns: Node STRING, NodeType STRING, Inside INTEGER (relationships with members),
//          Centrality FLOAT (share of the other members it is related to, 0 to 1),
//          InsideShare FLOAT (share of its relationships that are with members, 0 to 1), PageRank FLOAT (in the whole graph)
// order:   Centrality descending, then Inside descending, then PageRank descending, then Node, then id
// source:  the length study
MATCH (c:KgCommunity)
WHERE c.graph = $graph AND c.level = $level AND c.number = $community
CALL (c) {
  MATCH (c)<-[:CHILD_OF]-{0,20}(part:KgCommunity)<-[:IN_COMMUNITY]-(e:KgEntity)
  WHERE part.graph = $graph AND e.graph = $graph
  RETURN collect(e) AS members
}
UNWIND members AS n
CALL (n, c) {
  MATCH (n)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity)
  WHERE o.graph = $graph
  WITH r, o, CASE WHEN EXISTS { (o)-[:IN_COMMUNITY]->(:KgCommunity)-[:CHILD_OF]->{0,20}(c) } THEN 1 ELSE 0 END AS is_inside
  RETURN sum(is_inside) AS Inside, count(r) AS relationships,
         count(DISTINCT CASE WHEN is_inside = 1 AND o <> n THEN o END) AS related
}
RETURN n.name AS Node, n.type AS NodeType, Inside,
       CASE size(members) WHEN 1 THEN 0.0 ELSE round(toFloat(related) / (size(members) - 1), 4) END AS Centrality,
       CASE relationships WHEN 0 THEN 0.0 ELSE round(toFloat(Inside) / relationships, 4) END AS InsideShare,
       n.pagerank AS PageRank
ORDER BY Centrality DESC, Inside DESC, PageRank DESC, Node, n.id
LIMIT $limit
