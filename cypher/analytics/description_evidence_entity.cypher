// title:   Entities with several descriptions
// purpose: What may need a summary, or has one: a page of entities with all that their evidence says of them.
// mode:    read
// params:  $graph STRING (graph name, default main); $after STRING (id of the last entity of the page before);
//          $characters INTEGER (descriptions that are shorter together are left out, >= 0);
//          $limit INTEGER (entities a page, >= 1, default 500)
// columns: id STRING, name STRING, summary STRING, method STRING, hash STRING,
//          model STRING (that was asked; null where none was),
//          evidence LIST<LIST> (document, place of the chunk, row, description and chunk of each)
// order:   id
// source:  the graph article
MATCH (n:KgEntity)
WHERE n.id > $after AND n.graph = $graph AND (n.evidence_count > 1 OR n.summary_hash IS NOT NULL)
WITH n, COLLECT {
  MATCH (n)-[m:MENTIONED_IN]->(c:KgChunk)
  WHERE m.description IS NOT NULL
  RETURN [c.document_id, c.index, m.row, m.description, c.id]
} AS evidence
WHERE n.summary_hash IS NOT NULL OR reduce(total = 0, each IN evidence | total + size(each[3])) > $characters
RETURN n.id AS id, n.name AS name, n.summary AS summary, n.summary_method AS method, n.summary_hash AS hash,
       head(COLLECT {
         MATCH (said:KgAnswer)-[:ANSWERS]->(n)
         WHERE said.graph = $graph
         RETURN said.model ORDER BY said.model LIMIT 1
       }) AS model, evidence
ORDER BY id LIMIT $limit
