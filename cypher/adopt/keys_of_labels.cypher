// title:   Properties that are unique
// purpose: Constraints say which property is the key of a label; ours are left out by their label.
// mode:    read
// params:  none
// columns: label STRING, property STRING
// order:   label, then property
// source:  kg-neo4j
SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties
WHERE entityType = 'NODE' AND size(properties) = 1 AND (type CONTAINS 'UNIQUENESS' OR type CONTAINS 'KEY')
RETURN labelsOrTypes[0] AS label, properties[0] AS property
ORDER BY label, property
