// title:   One Decision per id
// purpose: Makes every write of a Decision a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_decision_id IF NOT EXISTS FOR (n:KgDecision) REQUIRE n.id IS UNIQUE
