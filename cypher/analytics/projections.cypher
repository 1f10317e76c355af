// title:   Projections that kg-neo4j left in memory
// purpose: Finds what killed runs could not drop, in this database only.
// mode:    read
// params:  $prefix STRING (how the names of our projections begin)
// columns: name STRING, age_s INTEGER (seconds since it was made)
// order:   name
// source:  kg-neo4j
CALL db.info() YIELD name AS database
CALL gds.graph.list() YIELD graphName, database AS home, creationTime
WITH * WHERE home = database AND graphName STARTS WITH $prefix
RETURN graphName AS name, duration.inSeconds(creationTime, datetime()).seconds AS age_s
ORDER BY name
