// title:   Indexes that stand
// purpose: Says whether what writing and searching need is there, of the right kind, and online; foreign indexes are
//          seen, too.
// mode:    read
// params:  none
// columns: name STRING, kind STRING, labels LIST<STRING>, properties LIST<STRING>, state STRING, unique BOOLEAN,
//          dimension INTEGER (of a vector index)
// order:   name
// source:  kg-neo4j
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, owningConstraint, options
WHERE labelsOrTypes IS NOT NULL
RETURN name, type AS kind, labelsOrTypes AS labels, properties, state, owningConstraint IS NOT NULL AS unique,
       options.indexConfig['vector.dimensions'] AS dimension
ORDER BY name
