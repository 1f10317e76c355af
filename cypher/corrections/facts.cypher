// title:   Facts to correct
// purpose: Those whose id begins so, with all that are drawn as one relationship with them: names of the ends as documents
//          write them, and the words that state each.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (begin of an id); $most INTEGER (rows of one fact, >= 1, default 20)
// columns: id STRING, type STRING, drawn STRING (the relationship), source_key STRING, target_key STRING, properties MAP,
//          source LIST<LIST> (name, type, type as it is written or null, mentions), target LIST<LIST> (likewise),
//          rows LIST<LIST> (document, its title, words, type as it is written or null, decision of a statement by hand or null)
// order:   drawn, then id
// source:  kg-neo4j
MATCH (begun:KgFact)
WHERE begun.id STARTS WITH $id AND begun.graph = $graph
CALL (begun) {
  RETURN begun AS f
  UNION
  MATCH (f:KgFact {relationship_id: begun.relationship_id})
  WHERE f.graph = begun.graph
  RETURN f
}
WITH DISTINCT f
RETURN f.id AS id, f.type AS type, coalesce(f.relationship_id, f.id) AS drawn, f.source_key AS source_key, f.target_key AS target_key,
       f {.*, embedding: null} AS properties,
       COLLECT {
         MATCH (:KgEntity {id: coalesce(f.source_id, f.source_key)})-[m:MENTIONED_IN]->(:KgChunk)
         WHERE m.key = f.source_key
         WITH m.name AS name, m.type AS type, m.original_type AS written, count(*) AS mentions
         RETURN [name, type, written, mentions]
       } AS source,
       COLLECT {
         MATCH (:KgEntity {id: coalesce(f.target_id, f.target_key)})-[m:MENTIONED_IN]->(:KgChunk)
         WHERE m.key = f.target_key
         WITH m.name AS name, m.type AS type, m.original_type AS written, count(*) AS mentions
         RETURN [name, type, written, mentions]
       } AS target,
       COLLECT {
         MATCH (f)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
         WITH s, c, d, coalesce(s.quote_start, 0) AS start ORDER BY d.key, c.index, s.row LIMIT $most
         RETURN [d.id, d.title, substring(c.text, start, coalesce(s.other_quotes[-1], s.quote_end, size(c.text)) - start),
                 s.original_type, CASE WHEN s.by_hand THEN d.key END]
       } AS rows
ORDER BY drawn, id
