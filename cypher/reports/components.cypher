// title:   Components
// purpose: Parts of the graph that nothing connects, weakly: whatever the direction. Many small ones often mean names to
//          resolve. Filled in by analytics.
// mode:    read
// params:  $graph STRING (graph name, default main); $smallest INTEGER (nodes a component has at least, >= 1, default 2);
//          $members INTEGER (nodes to name, >= 0, default 5); $limit INTEGER (rows, >= 1, default 20)
// columns: Component INTEGER (number, 1 is the largest), Nodes INTEGER, Share FLOAT (of all nodes, 0 to 1),
//          Relationships INTEGER (within it), Members LIST<STRING> (those of highest PageRank)
// order:   Component
// source:  the length study
MATCH (n:KgEntity)
WHERE n.graph = $graph AND n.component IS NOT NULL
WITH n ORDER BY n.pagerank DESC, n.name, n.id
WITH n.component AS Component, count(n) AS Nodes, collect(n.name)[..$members] AS Members, collect(n) AS all
ORDER BY Component
WITH collect([Component, Nodes, Members, all]) AS components, sum(Nodes) AS total
UNWIND components AS component
WITH component, total WHERE component[1] >= $smallest
ORDER BY component[0] LIMIT $limit
CALL (component) {
  UNWIND component[3] AS n
  RETURN sum(COUNT { (n)-[:!MENTIONED_IN&!IN_COMMUNITY]->(o:KgEntity) WHERE o.graph = $graph }) AS Relationships
}
RETURN component[0] AS Component, component[1] AS Nodes, round(toFloat(component[1]) / total, 4) AS Share, Relationships,
       component[2] AS Members
ORDER BY Component
