// title:   What is stored of one document
// purpose: Tells a load what is new, what is done and what has gone.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (document id)
// columns: document MAP, chunks LIST<MAP>
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument {id: $id, graph: $graph})
RETURN properties(d) AS document,
       COLLECT {
         MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
         RETURN {id: c.id, index: c.index, start: c.start, end: c.end, section: c.section,
                 recorded: c.recorded, done: c.done}
         ORDER BY c.index, c.id
       } AS chunks
