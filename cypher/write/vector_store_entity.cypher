// title:   Store vectors of Entity nodes
// purpose: A stored answer: the vector, and the hash of the text and the model that it was made from.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (id, vector and hash of each node)
// columns: none
// order:   none
// source:  the embedding analysis
UNWIND $rows AS row
MATCH (n:KgEntity {id: row.id})
WHERE n.graph = $graph
SET n.embedding = row.vector, n.embedding_hash = row.hash
