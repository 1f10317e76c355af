// title:   What a model said about a tree
// purpose: A question that was answered is not asked again.
// mode:    read
// params:  $graph STRING (graph name, default main); $tree STRING (tree id)
// columns: id STRING, text STRING, finish_reason STRING
// order:   id
// source:  W4
MATCH (a:Answer)-[:ANSWERS]->(t:Tree {id: $tree})
WHERE t.graph = $graph AND a.kind <> 'vector'
RETURN a.id AS id, a.text AS text, a.finish_reason AS finish_reason
ORDER BY id
