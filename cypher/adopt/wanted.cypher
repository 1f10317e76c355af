// title:   Which entities are nodes of another graph
// purpose: Each entity that a row of an adopted label is, with the label, its key, and what texts say of it. A name joined it with
//          texts where one of their mentions has the name and the family of the row's; else a decision did.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: adopted STRING (JSON: label and key), entity STRING (id; null: none), key STRING (value of the key), how STRING (key, name or decision),
//          mentions INTEGER (in texts), documents INTEGER (texts that mention it)
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph AND d.adopted STARTS WITH '{"label"'
OPTIONAL MATCH (d)<-[:IN_DOCUMENT]-(c:KgChunk)<-[row:MENTIONED_IN]-(e:KgEntity)
WHERE row.table_key = d.key + ': ' + c.section
WITH DISTINCT d, c.section AS key, e, row.key AS name
CALL (e, name) {
  OPTIONAL MATCH (e)-[m:MENTIONED_IN]->(t:KgChunk)-[:IN_DOCUMENT]->(text:KgDocument)
  WHERE text.adopted IS NULL
  RETURN count(m) AS mentions, count(DISTINCT text) AS documents, count(CASE WHEN m.key = name THEN 1 END) AS named
}
RETURN d.adopted AS adopted, e.id AS entity, key,
       CASE WHEN mentions = 0 THEN 'key' WHEN named > 0 THEN 'name' ELSE 'decision' END AS how, mentions, documents
