// title:   Labels of another graph that queries may read
// purpose: What a model is told, and held to: entities with rows of a label are read by it.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: adopted STRING (JSON: label, key and columns), start STRING (of the table_key of its entities), rows INTEGER
// order:   adopted, then start
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph AND d.adopted STARTS WITH '{"label"'
RETURN d.adopted AS adopted, d.key + ': ' AS start, COUNT { (d)<-[:IN_DOCUMENT]-() } AS rows
ORDER BY adopted, start
