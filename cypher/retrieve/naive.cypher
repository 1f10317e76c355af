// title:   Chunks for a question
// purpose: Chunks by words and by meaning, fused by reciprocal rank.
// mode:    read
// params:  $graph STRING (graph name, default main); $words STRING (full-text query, or null: do not search by words);
//          $vector LIST<FLOAT> (vector of the question, or null);
//          $chunk_index STRING (vector index over chunks, or null: do not search by meaning);
//          $fetch_words INTEGER (finds by words to fetch, >= 1, default 100); $fetch INTEGER (neighbours to fetch, >= 1, default 100);
//          $chunks INTEGER (chunks to return, >= 1, default 12)
// columns: chunks LIST<MAP> (id, text, tokens, section, document, language, score)
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
CALL () { // chunk nodes by meaning; exact where the index's nearest are of other graphs or filtered out
  UNWIND CASE WHEN $chunk_index IS NULL THEN [] ELSE [$chunk_index] END AS index
  CALL db.index.vector.queryNodes(index, $fetch, $vector) YIELD node, score
  WITH node, score, node.graph = $graph AND true /* left: chunk node */ AS kept ORDER BY score DESC, node.id
  WITH collect(CASE WHEN kept THEN node END)[..2 * $chunks] AS hits, count(*) AS fetched
  CALL (hits, fetched) {
    WITH hits, fetched WHERE size(hits) < 2 * $chunks AND fetched = $fetch
    MATCH (d:KgDocument {graph: $graph})<-[:IN_DOCUMENT]-(node:KgChunk)
    WHERE true /* left: document d */
    WITH DISTINCT node WHERE size(node.embedding) = size($vector) AND true /* left: chunk node */
    WITH node ORDER BY vector.similarity.cosine(node.embedding, $vector) DESC, node.id LIMIT 2 * $chunks
    RETURN collect(node) AS exact
  }
  RETURN CASE WHEN exact = [] THEN hits ELSE exact END AS chunk_near
}
CALL (chunk_words, chunk_near) { // reciprocal rank fusion
  UNWIND [[chunk_words, 1.0], [chunk_near, 1.0]] AS ranked
  UNWIND range(0, size(ranked[0]) - 1) AS rank
  WITH ranked[0][rank] AS node, sum(ranked[1] / (60 + rank + 1)) AS score
  ORDER BY score DESC, node.id LIMIT $chunks
  RETURN collect({node: node, score: score}) AS found
}
UNWIND found AS hit
WITH hit.node AS c, hit.score AS score
OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
WITH c, score, d ORDER BY score DESC, c.id
RETURN collect({id: c.id, text: c.text, tokens: c.token_count, section: c.section, document: d.title, language: d.language,
                score: score}) AS chunks
