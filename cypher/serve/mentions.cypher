// title:   Words that mention some names
// purpose: Lets a person who decides whether two names are one see what the documents say of each.
// mode:    read
// params:  $graph STRING (graph name, default main);
//          $rows LIST<LIST> (mention key, id of the entity that it belongs to)
// columns: key STRING, quote STRING, chunk_id STRING, start INTEGER (in the chunk; 0: not found there), end INTEGER,
//          document STRING (title), line INTEGER (of a table; null: none)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {id: row[1]})
WHERE e.graph = $graph
CALL (e, row) {
  MATCH (e)-[m:MENTIONED_IN {key: row[0]}]->(c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE c.graph = $graph
  WITH m, c, d ORDER BY m.quote_start IS NULL, d.title, c.index, c.id, m.row LIMIT 1
  RETURN CASE WHEN m.quote_start IS NULL THEN m.quote ELSE substring(c.text, m.quote_start, m.quote_end - m.quote_start) END AS quote,
         c.id AS chunk_id, coalesce(m.quote_start, 0) AS start, coalesce(m.quote_end, 0) AS end, d.title AS document, c.line AS line
}
RETURN row[0] AS key, coalesce(quote, '') AS quote, chunk_id, start, end, coalesce(document, '') AS document, line
