// title:   One Chunk per id
// purpose: Makes every write of a Chunk a seek, and a second write of the same one a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_chunk_id IF NOT EXISTS FOR (n:KgChunk) REQUIRE n.id IS UNIQUE
