// title:   One Tree per id
// purpose: Makes every write of a Tree a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_tree_id IF NOT EXISTS FOR (n:KgTree) REQUIRE n.id IS UNIQUE
