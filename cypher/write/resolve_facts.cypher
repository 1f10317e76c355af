// title:   Which mention keys facts relate
// purpose: What is related to a thing is rarely the thing itself, unless the fact says so.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: source STRING, target STRING, types LIST<STRING>
// order:   none
// source:  the graph article
MATCH (f:KgFact)
WHERE f.graph = $graph AND f.source_key <> f.target_key
RETURN f.source_key AS source, f.target_key AS target, collect(DISTINCT f.type) AS types
