// title:   One GraphState per graph
// purpose: What the communities and centralities of a graph were computed from; one answer a graph.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_graph_state_graph IF NOT EXISTS FOR (n:KgGraphState) REQUIRE n.graph IS UNIQUE
