// title:   Full-text index over the text of tree nodes
// purpose: Finds words of passages, summaries and details, whatever their case and accents.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE FULLTEXT INDEX kg_treenode_text IF NOT EXISTS FOR (n:KgTreeNode) ON EACH [n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
