// title:   What trees and their leaves say
// purpose: Tells whether what was asked before was asked of the same texts.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: id STRING, text STRING (empty for chunks, whose ids follow from their texts)
// order:   id
// source:  the narrative thesis
MATCH (n:KgChunk|KgTreeNode)
WHERE n.graph = $graph
RETURN n.id AS id, CASE WHEN n:KgTreeNode THEN n.text ELSE '' END AS text
ORDER BY id
