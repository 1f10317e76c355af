// title:   One Passage per id
// purpose: Makes every write of a Passage a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_passage_id IF NOT EXISTS FOR (n:KgPassage) REQUIRE n.id IS UNIQUE
