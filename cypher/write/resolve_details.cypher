// title:   What is said of mention keys
// purpose: Shown to a model or a person who decides whether two are one.
// mode:    read
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (number, mention key, id of its entity, ids of documents or null; with documents, all that they say of the entity)
// columns: number INTEGER, said LIST<LIST> (description or role and place, quote, title of the document; three mentions at most)
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (e:KgEntity {id: row[2]})
WHERE e.graph = $graph
CALL (e, row) {
  MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE (row[3] IS NULL AND m.key = row[1]) OR d.id IN row[3]
  WITH m, c, d ORDER BY d.id, c.index, m.row LIMIT 3
  RETURN collect([coalesce(m.description, m.role + ', ' + m.location, m.role, m.location), m.quote, d.title]) AS said
}
RETURN row[0] AS number, said
