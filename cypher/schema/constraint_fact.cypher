// title:   One Fact per id
// purpose: Makes every write of a Fact a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_fact_id IF NOT EXISTS FOR (n:KgFact) REQUIRE n.id IS UNIQUE
