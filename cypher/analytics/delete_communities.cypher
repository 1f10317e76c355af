// title:   Delete communities that are no more
// purpose: Part of the transaction that writes their successors.
// mode:    write
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (community ids)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.graph = $graph
DETACH DELETE c
