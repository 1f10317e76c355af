// title:   What is said of mention keys
// purpose: Shown to a model or a person who decides whether two are one.
// mode:    read
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (mention key, id of its entity)
// columns: key STRING, said LIST<LIST> (description or role, quote, title of the document; three mentions at most)
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (e:KgEntity {id: row[1]})
WHERE e.graph = $graph
CALL (e, row) {
  MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE m.key = row[0]
  WITH m, c, d ORDER BY d.id, c.index, m.row LIMIT 3
  RETURN collect([coalesce(m.description, m.role), m.quote, d.title]) AS said
}
RETURN row[0] AS key, said
