// title:   Entities, facts and chunks for a question
// purpose: Entities and facts by words, and by meaning those of the chunks that were ranked before; then the facts around
//          the entities found, and the chunks that all of it rests on. One round trip, one state of the graph.
// mode:    read
// params:  $graph STRING (graph name, default main); $words STRING (full-text query, or null: do not search by words);
//          $vector LIST<FLOAT> (vector of the question, or null: entities and facts are not compared);
//          $terms LIST<STRING> (words of the question, in lower case);
//          $linked LIST<STRING> (entities that the question names, best first); $reached LIST<STRING> (entities near them, best first);
//          $ranked LIST<MAP> (id and score of the chunks found); $rest LIST<FLOAT> (vector of the question without its names, or null);
//          $fetch_words INTEGER (hits by words to fetch, >= 1, default 100);
//          $seeds INTEGER (entities to start from, >= 1, default 8); $facts INTEGER (facts to find, >= 1, default 16);
//          $per_seed INTEGER (facts around one entity, >= 1, default 20); $hub INTEGER (relationships of one entity to look at, >= 1, default 2000);
//          $filtered BOOLEAN (whether filters leave something out)
// columns: entities LIST<MAP> (id, name, type, aliases, description, role, named, score, mentions),
//          facts LIST<MAP> (id, type, source, source_id, target, target_id, description, start_date, evidence_count, score, statements),
//          chunks LIST<MAP> (id, text, tokens, section, document, language, score, near: start of each passage, and its cosine
//          to $rest; corrections: start and end of words, what is wrong in them, what is right, why),
//          short BOOLEAN (filters leave too few of the finds by words: more are to be fetched)
// order:   none; each list is in descending order of score, then by id
// source:  kg-neo4j
CALL () { // entity nodes by words; all of them where the best are of other graphs
  UNWIND CASE WHEN $words IS NULL THEN [] ELSE [$words] END AS words
  CALL db.index.fulltext.queryNodes('kg_entity_text', words, {limit: $fetch_words}) YIELD node, score
  WITH words, node, score, node.graph = $graph AND true /* left: entity node */ AS kept
  WITH words, count(*) AS fetched, collect(CASE WHEN kept THEN {node: node, score: score} END) AS hits
  CALL (words, fetched, hits) {
    CALL (words, fetched, hits) {
      WITH hits WHERE $filtered OR fetched < $fetch_words OR size(hits) >= 2 * $seeds
      UNWIND hits AS hit
      RETURN hit.node AS node, hit.score AS score
      UNION ALL
      WITH words WHERE NOT $filtered AND fetched = $fetch_words AND size(hits) < 2 * $seeds
      CALL db.index.fulltext.queryNodes('kg_entity_text', words) YIELD node, score
      WHERE node.graph = $graph
      RETURN node, score
    }
    WITH node, score ORDER BY score DESC, node.id LIMIT 2 * $seeds
    RETURN collect(node) AS best
  }
  RETURN coalesce(head(collect(best)), []) AS entity_words, coalesce(max(fetched), 0) = $fetch_words AS entity_more
}
CALL () { // entity nodes of the chunks found, by meaning
  UNWIND CASE WHEN $vector IS NULL THEN [] ELSE $ranked END AS hit
  MATCH (:KgChunk {id: hit.id})<-[:MENTIONED_IN]-(node:KgEntity)
  WITH DISTINCT node
  WHERE node.graph = $graph AND size(node.embedding) = size($vector) AND true /* left: entity node */
  WITH node ORDER BY vector.similarity.cosine(node.embedding, $vector) DESC, node.id LIMIT 2 * $seeds
  RETURN collect(node) AS entity_near
}
CALL () {
  UNWIND [id IN $linked | [id, 'linked']] + [id IN $reached | [id, 'reached']] AS one
  MATCH (e:KgEntity {id: one[0]}) WHERE e.graph = $graph AND true /* left: entity e */
  WITH collect([e, one[1]]) AS known
  RETURN [one IN known WHERE one[1] = 'linked' | one[0]] AS entity_linked,
         [one IN known WHERE one[1] = 'reached' | one[0]] AS entity_reached
}
CALL (entity_words, entity_near, entity_linked) { // reciprocal rank fusion
  UNWIND [[entity_linked, 4.0], [entity_words, 2.0], [entity_near, 1.0]] AS ranked
  UNWIND range(0, size(ranked[0]) - 1) AS rank
  WITH ranked[0][rank] AS node, sum(ranked[1] / (60 + rank + 1)) AS score
  ORDER BY score DESC, node.id LIMIT $seeds
  RETURN collect({node: node, score: score}) AS seeds
}
CALL () { // fact nodes by words; all of them where the best are of other graphs
  UNWIND CASE WHEN $words IS NULL THEN [] ELSE [$words] END AS words
  CALL db.index.fulltext.queryNodes('kg_fact_text', words, {limit: $fetch_words}) YIELD node, score
  WITH words, node, score, node.graph = $graph AND node.stated IS NULL AND true /* left: fact node */ AS kept
  WITH words, count(*) AS fetched, collect(CASE WHEN kept THEN {node: node, score: score} END) AS hits
  CALL (words, fetched, hits) {
    CALL (words, fetched, hits) {
      WITH hits WHERE $filtered OR fetched < $fetch_words OR size(hits) >= $facts
      UNWIND hits AS hit
      RETURN hit.node AS node, hit.score AS score
      UNION ALL
      WITH words WHERE NOT $filtered AND fetched = $fetch_words AND size(hits) < $facts
      CALL db.index.fulltext.queryNodes('kg_fact_text', words) YIELD node, score
      WHERE node.graph = $graph AND node.stated IS NULL
      RETURN node, score
    }
    WITH node, score ORDER BY score DESC, node.id LIMIT $facts
    RETURN collect(node) AS best
  }
  RETURN coalesce(head(collect(best)), []) AS fact_words, coalesce(max(fetched), 0) = $fetch_words AS fact_more
}
CALL () { // fact nodes of the chunks found, by meaning
  UNWIND CASE WHEN $vector IS NULL THEN [] ELSE $ranked END AS hit
  MATCH (:KgChunk {id: hit.id})<-[:STATED_IN]-(node:KgFact)
  WITH DISTINCT node
  WHERE node.graph = $graph AND node.stated IS NULL AND size(node.embedding) = size($vector) AND true /* left: fact node */
  WITH node ORDER BY vector.similarity.cosine(node.embedding, $vector) DESC, node.id LIMIT $facts
  RETURN collect(node) AS fact_near
}
CALL (fact_words, fact_near) { // reciprocal rank fusion
  UNWIND [[fact_words, 1.0], [fact_near, 1.0]] AS ranked
  UNWIND range(0, size(ranked[0]) - 1) AS rank
  WITH ranked[0][rank] AS node, sum(ranked[1] / (60 + rank + 1)) AS score
  ORDER BY score DESC, node.id LIMIT $facts
  RETURN collect({node: node, score: score}) AS stated
}
CALL (seeds) { // facts around each entity, bounded
  UNWIND seeds AS seed
  WITH seed.node AS e
  CALL (e) {
    MATCH (e)-[r:!MENTIONED_IN]-(other:KgEntity)
    WHERE other.graph = $graph AND r.fact_id IS NOT NULL AND true /* left: relationship r */
    WITH r LIMIT $hub
    RETURN r.fact_id AS fact_id ORDER BY r.evidence_count DESC, coalesce(r.strength, 0) DESC, fact_id LIMIT $per_seed
  }
  RETURN collect(DISTINCT fact_id) AS around
}
CALL (seeds, entity_reached) { // those near them are told of, too, but not started from
  UNWIND seeds + [rank IN range(0, size(entity_reached) - 1) | {node: entity_reached[rank], score: 0.5 / (61 + rank)}] AS one
  WITH one.node AS node, max(one.score) AS score
  ORDER BY score DESC, node.id
  RETURN collect({node: node, score: score}) AS known
}
CALL (known) { // facts between two of the entities
  UNWIND known AS left
  UNWIND known AS right
  WITH left.node AS a, right.node AS b
  WHERE a.id < b.id
  MATCH (a)-[r:!MENTIONED_IN]-(b)
  WHERE r.fact_id IS NOT NULL AND true /* left: relationship r */
  WITH r ORDER BY r.evidence_count DESC, coalesce(r.strength, 0) DESC, r.fact_id LIMIT 2 * $per_seed
  RETURN collect(DISTINCT r.fact_id) AS between
}
CALL (known, entity_words, entity_linked) {
  UNWIND known AS seed
  WITH seed.node AS e, seed.score AS score, seed.node IN entity_words OR seed.node IN entity_linked AS named
  CALL (e) {
    MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)
    WHERE true /* left: chunk c */
    WITH m, c LIMIT $hub
    WITH m, c ORDER BY c.index, c.id, m.row LIMIT CASE WHEN $filtered THEN $hub ELSE 3 END
    RETURN collect({m: m, c: c}) AS rows
  }
  CALL (e, rows) { // filtered: what other chunks say of it is not told
    WITH e WHERE NOT $filtered
    RETURN e.aliases AS aliases, e.role AS role, coalesce(e.summary, e.description) AS description
    UNION
    WITH e, rows WHERE $filtered
    UNWIND rows AS one
    WITH e, one.m AS m
    WITH e, collect(DISTINCT m.name) AS names, collect(m.role)[0] AS role, collect(coalesce(m.description, m.quote))[0] AS description
    RETURN [name IN names WHERE name <> e.name] AS aliases, role, description
  }
  WITH e, score, named, aliases, role, description,
       [one IN rows[..3] | {chunk_id: one.c.id, quote: one.m.quote, start: one.m.quote_start,
        end: CASE WHEN one.m.other_quotes[-1] > one.m.quote_end THEN one.m.other_quotes[-1] ELSE one.m.quote_end END}] AS mentions
  WITH e, score, named, mentions, aliases, role, description ORDER BY score DESC, e.id
  RETURN collect({id: e.id, name: e.name, type: e.type, aliases: aliases, role: role, description: description,
                  named: named, score: score, mentions: mentions}) AS entities
}
CALL (stated, around, between) {
  UNWIND [hit IN stated | {id: hit.node.id, score: hit.score}] + [id IN around | {id: id, score: 0.002}]
         + [id IN between | {id: id, score: 0.008}] AS hit
  WITH hit.id AS id, sum(hit.score) AS score
  MATCH (f:KgFact {id: id})
  WHERE f.graph = $graph AND f.stated IS NULL
  WITH f, score ORDER BY score DESC, f.id
  WITH coalesce(f.relationship_id, f.id) AS drawn, collect(f) AS same, sum(score) AS score // resolution: facts that are one
  WITH head(same) AS f, score
  MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})
  MATCH (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
  WHERE a <> b OR f.source_key = f.target_key
  CALL (f) {
    RETURN f AS stated_as
    UNION
    MATCH (stated_as:KgFact {relationship_id: f.relationship_id})
    WHERE stated_as.stated IS NULL
    RETURN stated_as
  }
  WITH f, a, b, score, collect(stated_as) AS all, sum(stated_as.evidence_count) AS evidence_count
  CALL (all) {
    UNWIND all AS fact
    MATCH (fact)-[s:STATED_IN]->(c:KgChunk)
    WHERE s.stated IS NULL AND true /* left: chunk c */
    WITH s, c LIMIT $hub
    WITH s, c ORDER BY s.quote_start IS NULL, c.index, c.id, s.row LIMIT CASE WHEN $filtered THEN $hub ELSE 2 END
    RETURN collect({s: s, c: c}) AS said
  }
  CALL (f, said, evidence_count) {
    WITH f, evidence_count WHERE NOT $filtered
    RETURN coalesce(f.summary, f.description) AS description, f.start_date AS start_date, evidence_count AS rows
    UNION
    WITH said WHERE $filtered
    UNWIND said AS one
    WITH one.s AS s, one.c AS c ORDER BY c.index, c.id, s.row
    WITH collect(coalesce(s.description, s.quote))[0] AS description, collect(s.start_date)[0] AS start_date, count(*) AS rows
    WITH description, start_date, rows WHERE rows > 0
    RETURN description, start_date, rows
  }
  WITH f, a, b, score, description, start_date, rows,
       [one IN said[..2] | {chunk_id: one.c.id, quote: one.s.quote, start: one.s.quote_start,
        end: CASE WHEN one.s.other_quotes[-1] > one.s.quote_end THEN one.s.other_quotes[-1] ELSE one.s.quote_end END}] AS statements
  WITH f, a, b, score, description, start_date, rows, statements ORDER BY score DESC, f.id
  RETURN collect({id: f.id, type: f.type + coalesce(' ' + toString(f.phrase), ''), source: a.name, source_id: a.id, target: b.name, target_id: b.id,
                  description: description, start_date: start_date, evidence_count: rows, score: score,
                  statements: statements}) AS facts
}
CALL () { // rows of another graph: of what the best chunks mention in the words of the question, and one step further
  UNWIND $ranked AS hit
  MATCH (c:KgChunk {id: hit.id})<-[m:MENTIONED_IN]-(e:KgEntity)-[:SAME_AS]->()
  WITH e, max(size([term IN $terms WHERE toLower(m.quote) CONTAINS term])) AS worded, max(hit.score) AS best
  ORDER BY worded DESC, best DESC, e.id LIMIT $seeds
  WITH collect(e) AS first, collect(worded) AS shares, max(worded) AS most
  UNWIND range(0, size(first) - 1) AS place
  WITH first, first[place] AS e, shares[place] / toFloat(CASE most WHEN 0 THEN 1 ELSE most END) AS share
  CALL (e) { // also of an entity that is the same node, such as one that a text calls by its key
    OPTIONAL MATCH (e)-[:SAME_AS]->()<-[:SAME_AS]-(same:KgEntity {graph: $graph})
    UNWIND [e, same] AS own
    MATCH (own)-[:MENTIONED_IN]->(row:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
    WHERE d.adopted IS NOT NULL AND true /* left: chunk row */
    WITH DISTINCT row, d LIMIT $hub
    ORDER BY NOT d.adopted STARTS WITH '{"label"', CASE WHEN size(row.embedding) = size($rest) THEN vector.similarity.cosine(row.embedding, $rest) END DESC, row.id
    LIMIT $per_seed
    RETURN collect(row) AS near
  }
  CALL (first, near) {
    UNWIND near[..$seeds] AS row
    MATCH (row)<-[:MENTIONED_IN]-(f:KgEntity)
    WHERE NOT f IN first
    WITH DISTINCT f WHERE COUNT { (f)-[:MENTIONED_IN]->() } <= $hub / 20
    CALL (f) {
      MATCH (f)-[:MENTIONED_IN]->(row:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
      WHERE d.adopted IS NOT NULL AND true /* left: chunk row */
      WITH DISTINCT row, d LIMIT $hub
      ORDER BY NOT d.adopted STARTS WITH '{"label"', CASE WHEN size(row.embedding) = size($rest) THEN vector.similarity.cosine(row.embedding, $rest) END DESC, row.id
    LIMIT 4
      RETURN row
    }
    RETURN collect(row) AS further
  }
  UNWIND [row IN near | [row.id, share]] + [row IN further | [row.id, share / 2]] AS row
  RETURN collect({id: row[0], score: 0.0, share: row[1]}) AS rows
}
CALL (entities, facts, rows) { // the chunks found, those that the entities and facts rest on, and these rows
  UNWIND [$ranked, rows] + [entity IN entities | entity.mentions] + [fact IN facts | fact.statements] AS hits
  UNWIND hits AS hit
  WITH coalesce(hit.chunk_id, hit.id) AS id, max(coalesce(hit.score, 0.0)) AS score, max(coalesce(hit.share, hit.score, 0.0)) AS share
  MATCH (c:KgChunk {id: id})
  WHERE c.graph = $graph
  OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
  WITH c, d, score, share ORDER BY score DESC, c.id
  RETURN collect({id: c.id, text: c.text, tokens: c.token_count, section: c.section, document: d.title, language: d.language, row: CASE WHEN d.adopted IS NOT NULL THEN share END,
                  score: score, near: COLLECT { MATCH (p:KgPassage)-[:IN_CHUNK]->(c) WHERE size(p.embedding) = size($rest)
                                                RETURN [p.start, vector.similarity.cosine(p.embedding, $rest)] },
                  corrections: COLLECT {
                    MATCH (c)<-[s:STATED_IN]-(:KgFact)<-[:CORRECTS]-(wrong:KgDecision)
                    WHERE s.wrong IS NOT NULL
                    WITH DISTINCT coalesce(s.quote_start, 0) AS start, coalesce(s.other_quotes[-1], s.quote_end, size(c.text)) AS end, wrong
                    ORDER BY start, end, wrong.id
                    RETURN [start, end, wrong.left_name, coalesce(wrong.right_name, ''), coalesce(wrong.reason, '')] }}) AS chunks
}
RETURN entities, facts, chunks,
       $filtered AND ((entity_more AND size(entity_words) < 2 * $seeds) OR (fact_more AND size(fact_words) < $facts)) AS short
