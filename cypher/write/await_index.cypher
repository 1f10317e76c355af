// title:   Wait until an index is online
// purpose: A constraint protects, and an index finds, only once it is online. Other indexes are not waited for: those
//          of others may have failed.
// mode:    read
// params:  $name STRING (of the index); $seconds INTEGER (time to wait)
// columns: none
// order:   none
// source:  kg-neo4j
CALL db.awaitIndex($name, $seconds)
