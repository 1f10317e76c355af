// title:   Advance an import
// purpose: Part of the transaction that writes some of the lines; no row means that an earlier try has written them.
// mode:    write
// params:  $graph STRING (graph name, default main); $sha256 STRING (of the file's lines);
//          $first INTEGER (lines written before, >= 0); $last INTEGER (lines written with these)
// columns: imported INTEGER
// order:   none
// source:  kg-neo4j
MATCH (s:KgGraphState {graph: $graph, importing: $sha256})
WHERE s.imported = $first
SET s.imported = $last
RETURN s.imported AS imported
