// title:   What a model said
// purpose: Answers already paid for, by what was asked.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (answer ids)
// columns: id STRING, text STRING, finish_reason STRING
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (a:KgAnswer {id: id})
WHERE a.graph = $graph
RETURN id, coalesce(a.text, '') AS text, a.finish_reason AS finish_reason
