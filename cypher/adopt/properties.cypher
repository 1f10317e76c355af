// title:   Labels of the database and their properties
// purpose: What other graphs are made of; ours are among them.
// mode:    read
// params:  none
// columns: labels LIST<STRING> (that nodes have together), property STRING (null: none)
// order:   labels, then property
// source:  kg-neo4j
CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName
RETURN nodeLabels AS labels, propertyName AS property
ORDER BY labels, property
