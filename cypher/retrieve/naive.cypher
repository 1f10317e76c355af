// title:   Chunks for a question
// purpose: Chunks by words and by the meaning of their best passage, fused by reciprocal rank.
// mode:    read
// params:  $graph STRING (graph name, default main); $words STRING (full-text query, or null: do not search by words);
//          $vector LIST<FLOAT> (vector of the question, or null);
//          $near_index STRING (vector index over passages, or null: do not search by meaning);
//          $average BOOLEAN (the index is that over chunks, by the means of their passages); $rest LIST<FLOAT> (vector of the question
//          without its names, or null);
//          $fetch_words INTEGER (finds by words to fetch, >= 1, default 100); $fetch INTEGER (neighbours to fetch, >= 1, default 100);
//          $chunks INTEGER (chunks to return, >= 1, default 12)
// columns: chunks LIST<MAP> (id, text, tokens, section, document, language, score, near: start of each passage, and its cosine
//          to $rest; corrections: start and end of words, what is wrong in them, what is right, why), worded LIST<STRING> (ids of the best chunks by words)
// order:   none; the list is in descending order of score, then by id
// source:  the narrative thesis
CALL () { // chunk nodes by words; all of them where the best are of other graphs or filtered out
  UNWIND CASE WHEN $words IS NULL THEN [] ELSE [$words] END AS words
  CALL db.index.fulltext.queryNodes('kg_chunk_text', words, {limit: $fetch_words}) YIELD node, score
  WITH words, node, score, node.graph = $graph AND true /* left: chunk node */ AS kept
  WITH words, count(*) AS fetched, collect(CASE WHEN kept THEN {node: node, score: score} END) AS hits
  CALL (words, fetched, hits) {
    WITH hits WHERE fetched < $fetch_words OR size(hits) >= 2 * $chunks
    UNWIND hits AS hit
    RETURN hit.node AS node, hit.score AS score
    UNION ALL
    WITH words WHERE fetched = $fetch_words AND size(hits) < 2 * $chunks
    CALL db.index.fulltext.queryNodes('kg_chunk_text', words) YIELD node, score
    WHERE node.graph = $graph AND true /* left: chunk node */
    RETURN node, score
  }
  WITH node, score ORDER BY score DESC, node.id LIMIT 2 * $chunks
  RETURN collect(node) AS chunk_words
}
CALL () { // chunks by the meaning of their best passage; exact where the index's nearest are of other graphs or filtered out
  UNWIND CASE WHEN $near_index IS NULL THEN [] ELSE [1] END AS once
  CALL db.index.vector.queryNodes($near_index, $fetch, $vector) YIELD node, score
  WITH CASE WHEN node:KgChunk THEN node ELSE head(COLLECT { MATCH (node)-[:IN_CHUNK]->(of:KgChunk) RETURN of }) END AS c, score
  WITH c, score, c.graph = $graph AND true /* left: chunk c */ AS kept
  WITH count(*) AS fetched, collect(CASE WHEN kept THEN {node: c, score: score} END) AS hits
  CALL (fetched, hits) {
    WITH hits WHERE fetched < $fetch OR size(hits) >= 2 * $chunks
    UNWIND hits AS hit
    RETURN hit.node AS node, hit.score AS score
    UNION ALL
    WITH hits, fetched WHERE fetched = $fetch AND size(hits) < 2 * $chunks
    MATCH (d:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(c:KgChunk)
    WHERE true /* left: document d */
    WITH DISTINCT c WHERE true /* left: chunk c */
    UNWIND CASE WHEN $average THEN [c] ELSE COLLECT { MATCH (p:KgPassage)-[:IN_CHUNK]->(c) RETURN p } END AS one
    WITH c, one WHERE size(one.embedding) = size($vector)
    RETURN c AS node, vector.similarity.cosine(one.embedding, $vector) AS score
  }
  WITH node, max(score) AS score ORDER BY score DESC, node.id LIMIT 2 * $chunks
  RETURN collect(node) AS chunk_near
}
CALL (chunk_words, chunk_near) { // reciprocal rank fusion
  UNWIND [[chunk_words, 1.0], [chunk_near, 1.0]] AS ranked
  UNWIND range(0, size(ranked[0]) - 1) AS rank
  WITH ranked[0][rank] AS node, sum(ranked[1] / (60 + rank + 1)) AS score
  ORDER BY score DESC, node.id LIMIT $chunks
  RETURN collect({node: node, score: score}) AS found
}
CALL (found) {
  UNWIND found AS hit
  WITH hit.node AS c, hit.score AS score
  OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
  WITH c, score, d ORDER BY score DESC, c.id
  RETURN collect({id: c.id, text: c.text, tokens: c.token_count, section: c.section, document: d.title, language: d.language,
                  score: score, near: COLLECT { MATCH (p:KgPassage)-[:IN_CHUNK]->(c) WHERE size(p.embedding) = size($rest)
                                                RETURN [p.start, vector.similarity.cosine(p.embedding, $rest)] },
                  corrections: COLLECT {
                    MATCH (c)<-[s:STATED_IN]-(:KgFact)<-[:CORRECTS]-(wrong:KgDecision)
                    WHERE s.wrong IS NOT NULL
                    WITH DISTINCT coalesce(s.quote_start, 0) AS start, coalesce(s.other_quotes[-1], s.quote_end, size(c.text)) AS end, wrong
                    ORDER BY start, end, wrong.id
                    RETURN [start, end, wrong.left_name, coalesce(wrong.right_name, ''), coalesce(wrong.reason, '')] }}) AS chunks
}
RETURN chunks, [c IN chunk_words[..$chunks] | c.id] AS worded
