// title:   Begin an import
// purpose: The mark that the graph is not whole until the import ends; other commands refuse the graph by it.
// mode:    write
// params:  $graph STRING (graph name, default main); $file STRING (name of the file); $sha256 STRING (of its lines)
// columns: none
// order:   none
// source:  kg-neo4j
MERGE (s:KgGraphState:GraphState {graph: $graph})
SET s = {graph: $graph, version: randomUUID(), format: s.format, importing: $sha256, import_file: $file, imported: 0}
