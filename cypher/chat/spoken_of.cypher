// title:   What an answer speaks of
// purpose: Entities that a question names, and those mentioned in the chunks that an answer cites; with what tells a woman
//          from a man.
// mode:    read
// params:  $graph STRING (graph name, default main); $named LIST<STRING> (entity ids);
//          $places LIST<MAP> (chunk, start and end of each citation)
// columns: id STRING, name STRING, type STRING, aliases LIST<STRING>, role STRING, kin LIST<STRING> (types of facts of which it
//          is the source), after STRING (text from where a chunk mentions it first), named BOOLEAN, cited BOOLEAN (is
//          mentioned in the very words)
// order:   those named first, then evidence descending, then id
// source:  kg-neo4j
CALL () {
  UNWIND $named AS id
  MATCH (e:KgEntity {id: id})
  WHERE e.graph = $graph
  RETURN e, true AS named, false AS cited
  UNION ALL
  UNWIND $places AS place
  MATCH (c:KgChunk {id: place.chunk})<-[m:MENTIONED_IN]-(e:KgEntity)
  WHERE c.graph = $graph
  RETURN e, false AS named, coalesce(m.quote_start < place.end AND m.quote_end > place.start, false) AS cited
}
WITH e, max(toInteger(named)) > 0 AS named, max(toInteger(cited)) > 0 AS cited
CALL (e) {
  MATCH (e)-[r:SON_OF|DAUGHTER_OF|FATHER_OF|MOTHER_OF|BROTHER_OF|SISTER_OF|HUSBAND_OF|WIFE_OF|WIDOW_OF|WIDOWER_OF]->(:KgEntity)
  WITH type(r) AS kind LIMIT 20
  RETURN collect(DISTINCT kind) AS kin
}
CALL (e) {
  OPTIONAL MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)
  WHERE m.quote_start IS NOT NULL
  WITH m, c LIMIT 200
  WITH m, c ORDER BY c.index, c.id, m.row LIMIT 1
  RETURN coalesce(substring(c.text, m.quote_start, 600), '') AS after
}
RETURN e.id AS id, e.name AS name, e.type AS type, coalesce(e.aliases, []) AS aliases, coalesce(e.role, '') AS role, kin,
       after, named, cited
ORDER BY named DESC, e.evidence_count DESC, id
