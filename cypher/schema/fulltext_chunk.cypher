// title:   Full-text index over the headings and the text of chunks
// purpose: Finds words whatever their case and accents: "Zelazowa" finds "Żelazowa". Created after
//          the data of a first load.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE FULLTEXT INDEX kg_chunk_text IF NOT EXISTS FOR (n:KgChunk) ON EACH [n.heading, n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
