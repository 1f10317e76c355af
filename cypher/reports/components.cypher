// title:   Components
// purpose: Parts of the graph that nothing connects, weakly: whatever the direction. Many small ones often mean names to
//          resolve. Entities without a relationship are counted apart, in the last row. Filled in by analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $smallest INTEGER (nodes a component has at least, >= 1, default 2);
//          $members INTEGER (nodes to name, >= 0, default 5); $limit INTEGER (components, >= 1, default 20)
// columns: Component INTEGER (number, 1 is the largest; 0 for all entities without a relationship), Nodes INTEGER,
//          Share FLOAT (of the nodes with a relationship, 0 to 1; empty for 0), Relationships INTEGER (within it),
//          Members LIST<STRING> (those of highest PageRank)
// order:   Component, 0 last
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.component IS NOT NULL
WITH n ORDER BY n.pagerank DESC, n.name, n.id
WITH CASE n.degree WHEN 0 THEN 0 ELSE n.component END AS Component, count(n) AS Nodes,
     collect(n.name)[..$members] AS Members, collect(n) AS all
ORDER BY Component
WITH collect([Component, Nodes, Members, all]) AS components,
     sum(CASE Component WHEN 0 THEN 0 ELSE Nodes END) AS total
UNWIND [each IN components WHERE each[0] > 0 AND each[1] >= $smallest][..$limit]
       + [each IN components WHERE each[0] = 0] AS component
CALL (component) {
  UNWIND component[3] AS n
  RETURN sum(COUNT { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]->(o:KgEntity) WHERE o.graph = $graph }) AS Relationships
}
RETURN component[0] AS Component, component[1] AS Nodes,
       CASE WHEN component[0] > 0 THEN round(toFloat(component[1]) / total, 4) END AS Share, Relationships,
       component[2] AS Members
ORDER BY Component = 0, Component
