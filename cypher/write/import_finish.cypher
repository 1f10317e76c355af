// title:   Finish an import
// purpose: Takes the mark away; from here on the graph is as it was archived.
// mode:    write
// params:  $graph STRING (graph name, default main); $sha256 STRING (of the file's lines);
//          $state MAP (what the communities were computed from)
// columns: graph STRING
// order:   none
// source:  kg-neo4j
MATCH (s:KgGraphState {graph: $graph, importing: $sha256})
WITH s, s.format AS format
SET s = $state
SET s.graph = $graph, s.version = randomUUID(), s.format = format
RETURN s.graph AS graph
