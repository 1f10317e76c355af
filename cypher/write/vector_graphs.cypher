// title:   Graphs that hold vectors
// purpose: Vectors of another model may belong to other graphs of the same database, or to other programs.
// mode:    read
// params:  none
// columns: graph STRING (null: not from kg-neo4j), vectors INTEGER
// order:   graph
// source:  kg-neo4j
MATCH (n:KgChunk|KgPassage|KgEntity|KgFact|KgTreeNode)
WHERE n.embedding IS NOT NULL
RETURN n.graph AS graph, count(*) AS vectors
ORDER BY graph
