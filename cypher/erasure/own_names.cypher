// title:   Names that these documents alone give
// purpose: A person's decisions about them are erased, too.
// mode:    read
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (document ids)
// columns: key STRING (of mentions), names LIST<STRING>
// order:   key
// source:  kg-neo4j
UNWIND $documents AS id
MATCH (d:KgDocument {id: id})<-[:IN_DOCUMENT]-(:KgChunk)<-[m:MENTIONED_IN]-(e:KgEntity)
WHERE d.graph = $graph AND NOT EXISTS {
  (e)-[other:MENTIONED_IN]->(c:KgChunk)
  WHERE other.key = m.key AND NOT c.document_id IN $documents AND other.by_hand IS NULL
}
RETURN m.key AS key, collect(DISTINCT m.name) AS names
ORDER BY key
