// title:   Whether a graph holds anything
// purpose: An import needs an empty graph; leases and the state that an unload leaves are nothing.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: label STRING (of one node; no row for an empty graph)
// order:   none
// source:  kg-neo4j
MATCH (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode)
WHERE n.graph = $graph
RETURN head(labels(n)) AS label LIMIT 1
