// title:   Entities and documents that a question may name
// purpose: For each phrase the entities with it in their name or aliases and the documents with it in their title, with
//          all names that they go by; which of them are named is decided by comparing these, not here.
// mode:    read
// params:  $graph STRING (graph name, default main); $phrases LIST<STRING> (full-text queries);
//          $fetch INTEGER (entities and documents for each phrase, >= 1, default 12);
//          $first INTEGER (finds to look at, above $fetch, default 200)
// columns: place INTEGER (index of the phrase), kind STRING (entity or document), id STRING, names LIST<STRING>,
//          evidence INTEGER (rows that mention it), type STRING (of an entity, or null)
// order:   place, then kind, then score descending, then id
// source:  kg-neo4j
UNWIND range(0, size($phrases) - 1) AS place
CALL (place) {
  CALL (place) { // all of them only where the best are of other graphs or filtered out
    CALL db.index.fulltext.queryNodes('kg_entity_text', $phrases[place], {limit: $first}) YIELD node, score
    WITH node, score, node.graph = $graph AND true /* left: entity node */ AS kept
    WITH count(*) AS fetched, collect(CASE WHEN kept THEN {node: node, score: score} END)[..$fetch] AS hits
    CALL (place, fetched, hits) {
      WITH hits WHERE fetched < $first OR size(hits) = $fetch
      UNWIND hits AS hit
      RETURN hit.node AS node, hit.score AS score
      UNION ALL
      WITH place WHERE fetched = $first AND size(hits) < $fetch
      CALL db.index.fulltext.queryNodes('kg_entity_text', $phrases[place]) YIELD node, score
      WHERE node.graph = $graph AND true /* left: entity node */
      RETURN node, score LIMIT $fetch
    }
    RETURN node, score
  }
  RETURN 'entity' AS kind, node.id AS id, [node.name] + coalesce(node.aliases, []) AS names, score,
         coalesce(node.evidence_count, 0) AS evidence, node.type AS type
  UNION ALL
  CALL (place) { // all of them only where the best are of other graphs or filtered out
    CALL db.index.fulltext.queryNodes('kg_document_text', $phrases[place], {limit: $first}) YIELD node, score
    WITH node, score, node.graph = $graph AND true /* left: document node */ AS kept
    WITH count(*) AS fetched, collect(CASE WHEN kept THEN {node: node, score: score} END)[..$fetch] AS hits
    CALL (place, fetched, hits) {
      WITH hits WHERE fetched < $first OR size(hits) = $fetch
      UNWIND hits AS hit
      RETURN hit.node AS node, hit.score AS score
      UNION ALL
      WITH place WHERE fetched = $first AND size(hits) < $fetch
      CALL db.index.fulltext.queryNodes('kg_document_text', $phrases[place]) YIELD node, score
      WHERE node.graph = $graph AND true /* left: document node */
      RETURN node, score LIMIT $fetch
    }
    RETURN node, score
  }
  RETURN 'document' AS kind, node.id AS id, [node.title] + coalesce(node.redirects, []) AS names, score, 0 AS evidence,
         null AS type
}
WITH * WHERE id IS NOT NULL AND names[0] IS NOT NULL // a node that was deleted meanwhile
RETURN place, kind, id, names, evidence, type
ORDER BY place, kind, score DESC, id
