// title:   Which mention keys facts relate
// purpose: What is related to a thing is rarely the thing itself, unless the fact says so. Nothing is grouped: millions of
//          pairs take more memory than a server allows.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: source STRING, target STRING, types LIST<STRING> (one; a pair comes as often as facts relate it)
// order:   none
// source:  the graph article
MATCH (f:KgFact)
WHERE f.graph = $graph AND f.source_key <> f.target_key
RETURN f.source_key AS source, f.target_key AS target, [f.type] AS types
