// title:   What corrections rest on
// purpose: How many of the sentences that a correction is bound to are still in their documents; how many rows state the
//          wrong fact, and how many of these in other sentences.
// mode:    read
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (id of the decision, and its sentences with their documents)
// columns: id STRING, there INTEGER (sentences), statements INTEGER (rows), others INTEGER (rows)
// order:   id
// source:  kg-neo4j
UNWIND $rows AS row
CALL (row) {
  UNWIND CASE row.sentences WHEN [] THEN [null] ELSE row.sentences END AS one
  OPTIONAL MATCH (d:KgDocument {id: one.document})<-[:IN_DOCUMENT]-(c:KgChunk)
  WHERE d.graph = $graph AND c.text CONTAINS one.text
  RETURN count(DISTINCT CASE WHEN c IS NOT NULL THEN one.document + one.text END) AS there
}
CALL (row) {
  OPTIONAL MATCH (:KgDecision {id: row.id})-[:CORRECTS]->(:KgFact)-[s:STATED_IN]->(c:KgChunk)
  WHERE s.wrong IS NOT NULL
  WITH s, c, substring(c.text, coalesce(s.quote_start, 0), coalesce(s.other_quotes[-1], s.quote_end, size(c.text)) - coalesce(s.quote_start, 0)) AS words
  RETURN count(s) AS statements,
         count(CASE WHEN none(one IN row.sentences WHERE c.document_id = one.document AND (words CONTAINS one.text OR one.text CONTAINS words)) THEN s END) AS others
}
RETURN row.id AS id, there, statements, others
ORDER BY id
