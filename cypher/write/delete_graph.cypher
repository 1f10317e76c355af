// title:   Delete a part of one graph
// purpose: Repeated until nothing is left; only nodes that carry a label of ours and this graph's name.
// mode:    write
// params:  $graph STRING (graph name, default main); $limit INTEGER (nodes at a time, >= 1, default 20000)
// columns: deleted INTEGER
// order:   none
// source:  kg-neo4j
MATCH (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState)
WHERE n.graph = $graph
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
