// title:   Create nodes of a file
// purpose: Labels are of an allow-list. CREATE, not MERGE: an id that another graph has breaks the constraint.
// mode:    write
// params:  $rows LIST<MAP> (labels, properties)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
RETURN count(*) AS written
