// title:   Full-text index over the names and aliases of entities
// purpose: Finds words whatever their case and accents: "Zelazowa" finds "Żelazowa". Created after
//          the data of a first load.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE FULLTEXT INDEX kg_entity_text IF NOT EXISTS FOR (n:KgEntity) ON EACH [n.name, n.aliases]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
