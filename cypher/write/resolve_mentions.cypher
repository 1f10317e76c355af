// title:   What the evidence says of each mention key
// purpose: Names, years and places of the keys, from which candidates for one entity are found.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: key STRING, type STRING, names LIST<LIST> (spelling, mentions), births LIST<INTEGER>, deaths LIST<INTEGER>,
//          documents LIST<LIST> (document id, index of the first chunk that mentions the key)
// order:   none
// source:  W3
MATCH (e:Entity)
WHERE e.graph = $graph
CALL (e) {
  MATCH (e)-[m:MENTIONED_IN]->(c:Chunk)
  WITH m.key AS key, m.type AS type, m.name AS name, c.document_id AS document, min(c.index) AS first, count(*) AS mentions,
       collect(DISTINCT m.birth_year) AS births, collect(DISTINCT m.death_year) AS deaths
  RETURN key, type, collect([name, mentions]) AS names, collect(births) AS births, collect(deaths) AS deaths,
         collect([document, first]) AS documents
}
RETURN key, type, names,
       reduce(all = [], some IN births | all + some) AS births,
       reduce(all = [], some IN deaths | all + some) AS deaths,
       documents
