// title:   Statements that make the indexes of the database
// purpose: A new store gets them. Those of constraints come with these; those of labels and types are always there.
// mode:    read
// params:  none
// columns: statement STRING
// order:   none
// source:  kg-neo4j
SHOW INDEXES YIELD type, owningConstraint, createStatement
WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
RETURN createStatement AS statement
