// title:   Keys of the documents that were read from files
// purpose: A file that is in the graph keeps its key, whatever root a later load has.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: key STRING, origin STRING
// order:   key
// source:  kg-neo4j
MATCH (d:KgDocument {graph: $graph, kind: 'file'})
WHERE d.origin IS NOT NULL
RETURN d.key AS key, d.origin AS origin
ORDER BY key
