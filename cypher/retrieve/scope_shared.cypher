// title:   Facts that are drawn as one relationship
// purpose: Resolution draws facts together; filters leave all of them, or none.
// mode:    read
// params:  $shared LIST<STRING> (relationships)
// columns: ids LIST<STRING>
// order:   none; the list is in ascending order
// source:  kg-neo4j
UNWIND $shared AS shared
MATCH (f:KgFact {relationship_id: shared})
WITH f.id AS id ORDER BY id
RETURN collect(id) AS ids
