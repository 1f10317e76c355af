// title:   Labels of the database
// purpose: The types that nodes may have, among others.
// mode:    read
// params:  none
// columns: labels LIST<STRING>
// order:   none
// source:  kg-neo4j
CALL db.labels() YIELD label
RETURN collect(label) AS labels
