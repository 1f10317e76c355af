// title:   How many chunks there are
// purpose: Tells a small database from a large one, in which a search projects nothing. The server keeps this number.
// mode:    read
// params:  none
// columns: chunks INTEGER (of all graphs)
// order:   none
// source:  kg-neo4j
MATCH (c:KgChunk)
RETURN count(c) AS chunks
