// title:   Where chunks speak of what reports cite
// purpose: Leads from entities and facts to the words that they rest on.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities and facts);
//          $limit INTEGER (places of each, >= 1, default 5)
// columns: id STRING, kind STRING (entity or fact), name STRING,
//          places LIST<MAP> (chunk_id, quote, start, end, text, tokens, section, document)
// order:   id; places with a quote first, then by chunk
// source:  the length study
UNWIND $ids AS id
CALL (id) {
  MATCH (e:KgEntity {id: id})
  WHERE e.graph = $graph
  CALL (e) {
    MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
    WHERE c.graph = $graph AND true /* left: chunk c */
    WITH m, c, d ORDER BY m.quote_start IS NULL, c.index, c.id, m.row LIMIT $limit
    RETURN collect({chunk_id: c.id, quote: m.quote, start: m.quote_start, end: m.quote_end, text: c.text,
                    tokens: c.token_count, section: c.section, document: d.title}) AS places
  }
  RETURN 'entity' AS kind, e.name AS name, places
  UNION ALL
  MATCH (f:KgFact {id: id})
  WHERE f.graph = $graph
  MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
  MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
  CALL (f) {
    RETURN f AS stated_as
    UNION
    MATCH (stated_as:KgFact {relationship_id: f.relationship_id})
    RETURN stated_as
  }
  WITH f, a, b, collect(stated_as) AS all
  CALL (all) {
    UNWIND all AS fact
    MATCH (fact)-[s:STATED_IN]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
    WHERE c.graph = $graph AND (s.stated IS NULL OR fact.stated = false AND s.status IS NOT NULL) AND true /* left: chunk c */
    WITH s, c, d ORDER BY s.quote_start IS NULL, c.index, c.id, s.row LIMIT $limit
    RETURN collect({chunk_id: c.id, quote: s.quote, start: s.quote_start, end: s.quote_end, text: c.text,
                    tokens: c.token_count, section: c.section, document: d.title}) AS places
  }
  RETURN 'fact' AS kind, a.name + ' ' + f.type + ' ' + b.name AS name, places
}
RETURN id, kind, name, places
ORDER BY id
