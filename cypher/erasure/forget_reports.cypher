// title:   Forget reports on what documents mention
// purpose: Reports of communities of any level with an entity of these documents, and what a model said for them.
// mode:    write
// params:  $graph STRING (graph name, default main); $documents LIST<STRING> (document ids)
// columns: forgotten INTEGER (reports)
// order:   none
// source:  kg-neo4j
UNWIND $documents AS id
MATCH (d:KgDocument {id: id})<-[:IN_DOCUMENT]-(:KgChunk)<-[:MENTIONED_IN]-(e:KgEntity)
WHERE d.graph = $graph
MATCH (e)-[:IN_COMMUNITY]->(:KgCommunity)-[:CHILD_OF]->*(c:KgCommunity)
WITH DISTINCT c WHERE c.report_method IS NOT NULL
REMOVE c.title, c.summary, c.rating, c.rating_explanation, c.findings, c.report_method, c.report_hash, c.report_domain, c.report_flags
WITH c
OPTIONAL MATCH (a:KgAnswer)-[:ANSWERS]->(c)
DETACH DELETE a
RETURN count(DISTINCT c) AS forgotten
