// title:   Relationships of a picture
// purpose: Every relationship between the entities drawn.
// mode:    read
// params:  $graph STRING (graph name, default main); $nums LIST<INTEGER> (num of each entity drawn)
// columns: Source INTEGER, Type STRING, Target INTEGER, Evidence INTEGER (rows that state it, >= 1),
//          Fact STRING (id of its fact; empty where it has none)
// order:   Source, Target, Type, Fact
// source:  kg-neo4j
UNWIND $nums AS num
MATCH (a:KgEntity {graph: $graph, num: num})-[r]->(b:KgEntity {graph: $graph})
WHERE b.num IN $nums
RETURN a.num AS Source, type(r) AS Type, b.num AS Target, coalesce(r.evidence_count, 1) AS Evidence,
       coalesce(r.fact_id, '') AS Fact
ORDER BY Source, Target, Type, Fact
