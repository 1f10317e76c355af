// title:   One Community per id
// purpose: Makes every write of a Community a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_community_id IF NOT EXISTS FOR (n:KgCommunity) REQUIRE n.id IS UNIQUE
