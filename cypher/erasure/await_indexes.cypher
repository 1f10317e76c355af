// title:   Wait until all indexes are online
// purpose: A store is not handed over with indexes that are still filled.
// mode:    read
// params:  $seconds INTEGER (at most, >= 1)
// columns: none
// order:   none
// source:  kg-neo4j
CALL db.awaitIndexes($seconds)
