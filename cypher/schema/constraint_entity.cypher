// title:   One Entity per id
// purpose: Makes every write of a Entity a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_entity_id IF NOT EXISTS FOR (n:KgEntity) REQUIRE n.id IS UNIQUE
