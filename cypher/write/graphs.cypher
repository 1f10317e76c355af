// title:   Graphs of the database
// purpose: Every named graph that has a node; leases and the state that an unload leaves are nothing.
// mode:    read
// params:  none
// columns: graph STRING
// order:   graph
// source:  kg-neo4j
MATCH (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode)
RETURN DISTINCT n.graph AS graph
ORDER BY graph
