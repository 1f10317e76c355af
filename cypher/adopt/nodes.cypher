// title:   Nodes of another graph
// purpose: Properties of the nodes of a label that are not ours, for rows of a table. Names of labels and properties are values here.
// mode:    read
// params:  $label STRING (a label); $properties LIST<STRING> (keys); $limit INTEGER (nodes, >= 1)
// columns: cells LIST<ANY>
// order:   none
// source:  kg-neo4j
MATCH (n:$($label))
WHERE NOT (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState)
WITH n LIMIT $limit
RETURN [name IN $properties | n[name]] AS cells
