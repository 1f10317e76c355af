// title:   Delete one document
// purpose: Deletes the document node after its chunks are gone.
// mode:    write
// params:  $graph STRING (graph name, default main); $id STRING (document id)
// columns: none
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument {id: $id, graph: $graph})
DETACH DELETE d
