// title:   Remove vectors of one graph
// purpose: Repeated until nothing is left; before a graph is embedded with another model.
// mode:    write
// params:  $graph STRING (graph name, default main); $limit INTEGER (nodes at a time, >= 1, default 10000)
// columns: cleared INTEGER
// order:   none
// source:  kg-neo4j
MATCH (n:KgChunk|KgPassage|KgEntity|KgFact|KgTreeNode)
WHERE n.graph = $graph AND n.embedding IS NOT NULL
WITH n LIMIT $limit
REMOVE n.embedding, n.embedding_hash
RETURN count(*) AS cleared
