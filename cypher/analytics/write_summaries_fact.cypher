// title:   Write summaries of facts
// purpose: Sets or removes what was made of many descriptions, and says which answers it rests on; other answers about
//          the fact are let go, unless they are to be kept.
// mode:    write
// params:  $graph STRING (graph name, default main); $keep BOOLEAN (answers about other descriptions stay);
//          $rows LIST<MAP> (id, summary, method, hash, sources and answers of each fact; nulls remove a summary)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (n:KgFact {id: row.id})
WHERE n.graph = $graph
SET n.summary = row.summary, n.summary_method = row.method, n.summary_hash = row.hash,
    n.summary_sources = row.sources
WITH n, row
CALL (n, row) {
  MATCH (a:KgAnswer)-[old:ANSWERS]->(n)
  WHERE NOT $keep AND NOT a.id IN row.answers
  DELETE old
}
CALL (n, row) {
  UNWIND row.answers AS id
  MATCH (a:KgAnswer {id: id})
  MERGE (a)-[:ANSWERS]->(n)
}
