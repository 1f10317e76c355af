// title:   Names of graphs
// purpose: What a person may have meant by the name of a graph that there is not; emptied graphs are among them,
//          and graphs without a state.
// mode:    read
// params:  none
// columns: graph STRING
// order:   graph
// source:  kg-neo4j
MATCH (n:KgGraphState|KgDocument)
RETURN DISTINCT n.graph AS graph
ORDER BY graph
