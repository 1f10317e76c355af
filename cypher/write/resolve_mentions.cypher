// title:   What the evidence says of each mention key
// purpose: Names, years and places of the keys, from which candidates for one entity are found.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: key STRING, type STRING, names LIST<LIST> (spelling, mentions),
//          documents LIST<LIST> (document id, index of the first chunk that mentions the key, years of birth, years of death),
//          keys LIST<LIST> (of rows of tables)
// order:   none
// source:  the graph article
MATCH (e:KgEntity)
WHERE e.graph = $graph
CALL (e) {
  MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)
  WITH m.key AS key, m.type AS type, m.name AS name, c.document_id AS document, min(c.index) AS first, count(*) AS mentions,
       collect(DISTINCT m.birth_year) AS births, collect(DISTINCT m.death_year) AS deaths, collect(DISTINCT m.table_key) AS keys
  RETURN key, type, collect([name, mentions]) AS names, collect([document, first, births, deaths]) AS documents, collect(keys) AS keys
}
RETURN key, type, names, documents, keys
