// title:   What an answer cites, as a graph
// purpose: The cited chunks with their documents, the entities that the cited words mention and those on the path to a short
//          answer, and all relationships between these. Neo4j Browser draws it.
// mode:    read
// params:  $graph STRING (graph name, default main); $cited LIST<MAP> (chunk, start and end of each citation);
//          $entities LIST<STRING> (ids of the entities on the path)
// columns: nodes LIST<NODE>, relationships LIST<RELATIONSHIP>
// order:   none
// source:  kg-neo4j
CALL () {
  UNWIND $cited AS place
  MATCH (c:KgChunk {id: place.chunk})
  WHERE c.graph = $graph
  OPTIONAL MATCH (c)-[:IN_DOCUMENT]->(d:KgDocument)
  RETURN collect(DISTINCT c) AS chunks, collect(DISTINCT d) AS documents
}
CALL () {
  CALL () {
    UNWIND $cited AS place
    MATCH (c:KgChunk {id: place.chunk})<-[m:MENTIONED_IN]-(e:KgEntity)
    WHERE e.graph = $graph
    WITH place, e, [m.quote_start, m.quote_end] + coalesce(m.other_quotes, []) AS quotes
    WHERE any(at IN range(0, size(quotes) - 2, 2) WHERE quotes[at] < place.end AND quotes[at + 1] > place.start)
    RETURN e
    UNION
    UNWIND $entities AS id
    MATCH (e:KgEntity {id: id})
    WHERE e.graph = $graph
    RETURN e
  }
  RETURN collect(DISTINCT e) AS entities
}
WITH chunks + documents + entities AS nodes
CALL (nodes) {
  UNWIND nodes AS node
  MATCH (node)-[r]->(other)
  WHERE other IN nodes
  RETURN collect(DISTINCT r) AS relationships
}
RETURN nodes, relationships
