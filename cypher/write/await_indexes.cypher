// title:   Wait until all indexes are online
// purpose: A constraint protects only once its index is online.
// mode:    read
// params:  $seconds INTEGER (time to wait)
// columns: none
// order:   none
// source:  kg-neo4j
CALL db.awaitIndexes($seconds)
