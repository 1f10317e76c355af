// title:   What the graph tells of one thing
// purpose: The facts at its entities, each with the words that state it, of a row of a table all from its first cell to its last one,
//          and with how many rows of tables, and statements by hand, do; and the passages about it: those of the documents that bear its name, then those
//          that mention it.
// mode:    read
// params:  $graph STRING (graph name, default main); $entities LIST<STRING> (ids); $documents LIST<STRING> (ids);
//          $facts INTEGER (facts, >= 1, default 60); $chunks INTEGER (chunks of a document and chunks that mention it, >= 1, default 6);
//          $hub INTEGER (relationships of one entity to look at, >= 1, default 2000)
// columns: facts LIST<MAP> (id, type, source, source_id, target, target_id, evidence, in_tables, by_hand, chunk_id, quote, start, end, text, document, line),
//          passages LIST<MAP> (id, text, document, document_id, index)
// order:   none; facts by evidence descending, then id; passages by document, then index
// source:  kg-neo4j
CALL () {
  UNWIND $entities AS id
  MATCH (e:KgEntity {id: id})
  WHERE e.graph = $graph
  CALL (e) {
    MATCH (e)-[r:!MENTIONED_IN&!IN_COMMUNITY]-(other:KgEntity)
    WHERE r.fact_id IS NOT NULL AND true /* left: relationship r */
    WITH r LIMIT $hub
    RETURN DISTINCT r
  }
  WITH DISTINCT r ORDER BY r.evidence_count DESC, r.fact_id LIMIT $facts
  MATCH (f:KgFact {id: r.fact_id})
  CALL (f) {
    CALL (f) {
      RETURN f AS stated_as
      UNION
      MATCH (stated_as:KgFact {relationship_id: f.relationship_id})
      RETURN stated_as
    }
    MATCH (stated_as)-[s:STATED_IN]->(c:KgChunk)
    WHERE s.stated IS NULL AND (c.line IS NOT NULL OR s.by_hand) AND true /* left: chunk c */
    RETURN count(c.line) AS in_tables, count(s.by_hand) AS by_hand
  }
  CALL (f) {
    MATCH (f)-[s:STATED_IN]->(c:KgChunk)
    WHERE s.stated IS NULL AND true /* left: chunk c */
    WITH s, c ORDER BY s.quote_start IS NULL, c.index, c.id, s.row LIMIT 1
    OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
    RETURN c.id AS chunk_id, s.quote AS quote, s.quote_start AS start, c.text AS text, CASE WHEN c.section IS NULL THEN c.line END AS line,
           CASE WHEN c.line IS NULL OR c.section IS NULL THEN d.title ELSE d.title + ' ' + c.section END AS document,
           CASE WHEN c.line IS NULL THEN s.quote_end ELSE coalesce(s.other_quotes[-1], s.quote_end) END AS end
  }
  WITH r, f, in_tables, by_hand, chunk_id, quote, start, end, text, document, line, startNode(r) AS a, endNode(r) AS b
  WITH * ORDER BY r.evidence_count DESC, f.id
  RETURN collect({id: f.id, type: f.type + coalesce(' ' + toString(f.phrase), ''), source: a.name, source_id: a.id, target: b.name, target_id: b.id,
                  evidence: coalesce(r.evidence_count, 1), in_tables: in_tables, by_hand: by_hand,
                  chunk_id: chunk_id, quote: quote, start: start, end: end, text: text, document: document, line: line}) AS facts
}
CALL () {
  CALL () {
    UNWIND $documents AS id
    MATCH (d:KgDocument {id: id})<-[:IN_DOCUMENT]-(c:KgChunk)
    WHERE d.graph = $graph AND c.index < $chunks AND true /* left: chunk c */
    RETURN d, c
    UNION
    UNWIND $entities AS id
    CALL (id) {
      MATCH (e:KgEntity {id: id})-[:MENTIONED_IN]->(c:KgChunk)
      WHERE e.graph = $graph AND true /* left: chunk c */
      WITH DISTINCT c LIMIT $hub
      WITH c ORDER BY c.index, c.id LIMIT $chunks
      RETURN c
    }
    MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
    RETURN d, c
  }
  WITH d, c ORDER BY d.title, d.id, c.index
  RETURN collect({id: c.id, text: c.text, document: d.title, document_id: d.id, index: c.index}) AS passages
}
RETURN facts, passages
