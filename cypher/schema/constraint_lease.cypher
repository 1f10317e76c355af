// title:   One Lease per graph
// purpose: At most one run writes to a graph.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_lease_graph IF NOT EXISTS FOR (n:KgLease) REQUIRE n.graph IS UNIQUE
