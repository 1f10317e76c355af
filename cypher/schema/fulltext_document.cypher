// title:   Full-text index over the titles of documents
// purpose: A question that names a page finds it, also by a title that leads to it.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE FULLTEXT INDEX kg_document_text IF NOT EXISTS FOR (n:KgDocument) ON EACH [n.title, n.redirects]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}
