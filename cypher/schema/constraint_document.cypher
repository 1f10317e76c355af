// title:   One Document per id
// purpose: Makes every write of a Document a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_document_id IF NOT EXISTS FOR (n:KgDocument) REQUIRE n.id IS UNIQUE
