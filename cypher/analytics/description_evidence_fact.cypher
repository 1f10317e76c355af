// title:   Facts with several descriptions
// purpose: What may need a summary, or has one: a page of facts with all that their evidence says of them.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last fact of the page before);
//          $characters INTEGER (descriptions that are shorter together are left out, >= 0);
//          $limit INTEGER (facts a page, >= 1, default 500)
// columns: id STRING, name STRING (source, type and target), summary STRING, method STRING, hash STRING,
//          model STRING (that was asked; null where none was),
//          evidence LIST<LIST> (document, place of the chunk, row, description and chunk of each)
// order:   id
// source:  the graph article
MATCH (n:KgFact)
WHERE n.id > $after AND n.graph = $graph AND (n.evidence_count > 1 OR n.summary_hash IS NOT NULL)
WITH n, COLLECT {
  MATCH (n)-[s:STATED_IN]->(c:KgChunk)
  WHERE s.description IS NOT NULL AND s.stated IS NULL
  RETURN [c.document_id, c.index, s.row, s.description, c.id]
} AS evidence
WHERE n.summary_hash IS NOT NULL OR reduce(total = 0, each IN evidence | total + size(each[3])) > $characters
WITH n, evidence ORDER BY n.id LIMIT $limit
MATCH (a:KgEntity {id: coalesce(n.source_id, n.source_key)})
MATCH (b:KgEntity {id: coalesce(n.target_id, n.target_key)})
RETURN n.id AS id, a.name + ' ' + n.type + ' ' + b.name AS name, n.summary AS summary, n.summary_method AS method,
       n.summary_hash AS hash,
       head(COLLECT {
         MATCH (said:KgAnswer)-[:ANSWERS]->(n)
         WHERE said.graph = $graph
         RETURN said.model ORDER BY said.model LIMIT 1
       }) AS model, evidence
ORDER BY id
