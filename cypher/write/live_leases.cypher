// title:   Who may write now
// purpose: Lets a backup wait for the runs that write to any graph of the database.
// mode:    read
// params:  none
// columns: graph STRING, token STRING, owner STRING
// order:   graph
// source:  kg-neo4j
MATCH (l:Lease)
WHERE l.graph IS NOT NULL AND l.token IS NOT NULL AND l.expires >= timestamp() AND l.owner IS NOT NULL
RETURN l.graph AS graph, l.token AS token, l.owner AS owner
ORDER BY graph
