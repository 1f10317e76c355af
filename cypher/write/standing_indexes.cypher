// title:   Indexes that stand
// purpose: Says whether what writing needs is there, of the right kind, and online; foreign indexes are seen, too.
// mode:    read
// params:  none
// columns: name STRING, label STRING, properties LIST<STRING>, state STRING, unique BOOLEAN
// order:   name
// source:  kg-neo4j
SHOW INDEXES YIELD name, labelsOrTypes, properties, state, owningConstraint
WHERE size(labelsOrTypes) = 1
RETURN name, labelsOrTypes[0] AS label, properties, state, owningConstraint IS NOT NULL AS unique
ORDER BY name
