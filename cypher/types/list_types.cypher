// title:   Types of nodes and relationships
// purpose: Each type with how often it is shown and an example, so that a person can decide on types.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: kind STRING (node or relationship), type STRING, count INTEGER, example STRING, source STRING (type of its first node,
//          or empty), target STRING (likewise)
// order:   kind, count descending, then type
// source:  kg-neo4j
CALL () {
  MATCH (e:KgEntity)
  WHERE e.graph = $graph
  WITH e
  ORDER BY e.evidence_count DESC, e.name, e.id
  UNWIND coalesce(e.types, [e.type]) AS type
  RETURN 'node' AS kind, type, count(*) AS count, head(collect(e.name)) AS example, '' AS source, '' AS target
  UNION ALL
  MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
  WHERE a.graph = $graph AND b.graph = $graph
  WITH a, r, b
  ORDER BY r.evidence_count DESC, a.name, b.name, a.id, b.id
  WITH type(r) AS type, count(*) AS count, head(collect([a, b])) AS ends
  RETURN 'relationship' AS kind, type, count, ends[0].name + ' -> ' + ends[1].name AS example, ends[0].type AS source,
         ends[1].type AS target
}
RETURN kind, type, count, example, source, target
ORDER BY kind, count DESC, type
