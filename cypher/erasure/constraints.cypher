// title:   Statements that make the constraints of the database
// purpose: A new store gets them. Their own indexes come with them.
// mode:    read
// params:  none
// columns: statement STRING
// order:   none
// source:  kg-neo4j
SHOW CONSTRAINTS YIELD createStatement
RETURN createStatement AS statement
