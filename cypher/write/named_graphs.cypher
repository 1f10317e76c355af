// title:   Names of graphs
// purpose: What a person may have meant by the name of a graph that there is not; emptied graphs are among them.
// mode:    read
// params:  none
// columns: graph STRING
// order:   graph
// source:  kg-neo4j
MATCH (s:KgGraphState)
RETURN s.graph AS graph
ORDER BY graph
