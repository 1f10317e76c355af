// title:   An import that was stopped
// purpose: One row where a graph is half imported.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: sha256 STRING (of the file's lines), file STRING (its name), imported INTEGER (lines written)
// order:   none
// source:  kg-neo4j
MATCH (s:KgGraphState {graph: $graph})
WHERE s.importing IS NOT NULL
RETURN s.importing AS sha256, s.import_file AS file, coalesce(s.imported, 0) AS imported
