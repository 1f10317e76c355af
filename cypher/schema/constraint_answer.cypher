// title:   One Answer per id
// purpose: Makes every write of a Answer a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_answer_id IF NOT EXISTS FOR (n:KgAnswer) REQUIRE n.id IS UNIQUE
