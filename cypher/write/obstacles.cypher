// title:   Why a graph cannot be used
// purpose: One row for a graph that there is not, one of another format, or one that is half imported; no row for a graph
//          that can be used.
// mode:    read
// params:  $graph STRING (graph name, default main); $format INTEGER (format of graphs that this version reads)
// columns: is_absent BOOLEAN (nothing was ever written to it), is_other BOOLEAN (it holds something, and has another
//          format), format INTEGER (its own, or null),
//          file STRING (that was being imported), command STRING (that ends the import)
// order:   none
// source:  kg-neo4j
OPTIONAL MATCH (s:KgGraphState {graph: $graph})
WITH s, coalesce(s.format <> $format, true) AND EXISTS {
  MATCH (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode)
  WHERE n.graph = $graph
} AS is_other
WITH s, is_other, s IS NULL AND NOT is_other AS is_absent
WHERE is_absent OR is_other OR s.importing IS NOT NULL
RETURN is_absent, is_other, s.format AS format, s.import_file AS file,
       coalesce(s.import_command, 'kg import ' + s.import_file) AS command
