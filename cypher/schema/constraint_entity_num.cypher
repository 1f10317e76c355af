// title:   One Entity per number
// purpose: Projections name entities by a 52-bit number; two entities with one number are refused.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_entity_num IF NOT EXISTS FOR (n:KgEntity) REQUIRE n.num IS UNIQUE
