// title:   Documents that communities come from
// purpose: Titles of the documents that mention most members of each community.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (community ids);
//          $limit INTEGER (documents a community, >= 1, default 5)
// columns: id STRING, documents LIST<STRING> (titles), total INTEGER (documents in all)
// order:   id; documents by the members that they mention, descending, then title
// source:  the length study
UNWIND $ids AS id
MATCH (c:KgCommunity {id: id})
WHERE c.graph = $graph
CALL (c) {
  MATCH (c)<-[:CHILD_OF]-{0,20}(:KgCommunity)<-[:IN_COMMUNITY]-(e:KgEntity)-[:MENTIONED_IN]->(:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
  WHERE e.graph = $graph AND d.graph = $graph
  WITH d, count(DISTINCT e) AS members
  ORDER BY members DESC, d.title, d.id
  RETURN collect(d.title) AS titles
}
RETURN id, titles[..$limit] AS documents, size(titles) AS total
ORDER BY id
