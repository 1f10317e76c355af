// title:   Who may write now
// purpose: Lets a backup wait for the runs that write to any graph of the database.
// mode:    read
// params:  none
// columns: graph STRING, token STRING, owner STRING
// order:   graph
// source:  kg-neo4j
MATCH (l:KgLease)
WHERE l.expires >= timestamp()
RETURN l.graph AS graph, l.token AS token, l.owner AS owner
ORDER BY graph
