// title:   What there is
// purpose: The documents with their sizes and first chunks, and the most mentioned entities: what a question about the whole is
//          answered by where no reports are there.
// mode:    read
// params:  $graph STRING (graph name, default main); $shown INTEGER (documents, >= 1, default 5); $chunks INTEGER (first chunks of
//          each, >= 1, default 40); $most INTEGER (entities, >= 1, default 60);
//          $titled LIST<STRING> (documents to tell of, or null: all)
// columns: total INTEGER (documents), tokens INTEGER (of all), documents LIST<MAP> (id, title, tokens, chunks), entities LIST<MAP>
//          (id, name, type, mentions, connections)
// order:   none; documents by title, then id; entities by mentions and connections together descending, then name, then id
// source:  kg-neo4j
CALL () {
  MATCH (d:KgDocument)
  WHERE d.graph = $graph AND ($titled IS NULL OR d.id IN $titled) AND true /* left: document d */
  OPTIONAL MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
  WITH d, c ORDER BY d.title, d.id, c.index
  WITH d, sum(coalesce(c.token_count, 0)) AS tokens, collect(c)[..$chunks] AS chunks
  WITH d, tokens, [c IN chunks | {id: c.id, text: c.text}] AS chunks ORDER BY d.title, d.id
  WITH collect({id: d.id, title: d.title, tokens: tokens, chunks: chunks}) AS found
  RETURN size(found) AS total, reduce(sum = 0, each IN found | sum + each.tokens) AS tokens, found[..$shown] AS documents
}
CALL () {
  MATCH (e:KgEntity)
  WHERE e.graph = $graph AND true /* left: entity e */
  WITH e, COUNT { (e)-[:MENTIONED_IN]->(c:KgChunk) WHERE c.graph = $graph } AS mentions,
       COUNT { (e)-[:!MENTIONED_IN&!IN_COMMUNITY]-(o:KgEntity) WHERE o.graph = $graph } AS connections
  WITH e, mentions, connections ORDER BY mentions + connections DESC, e.name, e.id LIMIT $most
  RETURN collect({id: e.id, name: e.name, type: e.type, mentions: mentions, connections: connections}) AS entities
}
RETURN total, tokens, documents, entities
