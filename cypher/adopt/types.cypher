// title:   Relationships of another graph by their ends
// purpose: Which types lead from a label to which others, with their properties; of so many relationships.
// mode:    read
// params:  $label STRING (of the start); $limit INTEGER (relationships, >= 1)
// columns: type STRING, labels LIST<STRING> (of the end), count INTEGER, properties LIST<STRING>
// order:   type, then labels
// source:  kg-neo4j
MATCH (n:$($label))-[r]->(m)
WHERE NOT (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState) AND NOT (m:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState)
WITH r, m LIMIT $limit
WITH type(r) AS type, labels(m) AS labels, count(*) AS count, collect(DISTINCT keys(r)) AS all
RETURN type, labels, count, reduce(found = [], names IN all | found + [name IN names WHERE NOT name IN found]) AS properties
ORDER BY type, labels
