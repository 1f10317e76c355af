// title:   What is stored of documents
// purpose: Tells a load what is new, what is done and what has gone.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (document ids)
// columns: document MAP, chunks LIST<MAP>
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (d:KgDocument {id: id, graph: $graph})
RETURN properties(d) AS document,
       COLLECT {
         MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d)
         RETURN {id: c.id, index: c.index, start: c.start, end: c.end, section: coalesce(c.section, ''), line: c.line,
                 heading: c.heading, recorded: c.recorded, done: c.done}
         ORDER BY c.index, c.id
       } AS chunks
