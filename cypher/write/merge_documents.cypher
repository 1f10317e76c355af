// title:   Write documents
// purpose: Creates documents or brings their properties up to date.
// mode:    write
// params:  $rows LIST<MAP> (id and all properties of each document)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MERGE (d:KgDocument:Document {id: row.id})
SET d = row.properties
