// title:   Full-text index over the descriptions of facts
// purpose: Finds words whatever their case and accents: "Zelazowa" finds "Żelazowa". Created after
//          the data of a first load.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE FULLTEXT INDEX kg_fact_text IF NOT EXISTS FOR (n:KgFact) ON EACH [n.description]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
