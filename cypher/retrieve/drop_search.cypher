// title:   Drop projections for searching
// purpose: Those of former versions of a graph that nobody can be walking over any more, and those of other graphs that
//          were not made lately where there are many.
// mode:    read
// params:  $graph_prefix STRING (how names of projections of this graph begin); $prefix STRING (of all graphs);
//          $age_s INTEGER (seconds for which a former version stays, >= 0, default 30);
//          $others INTEGER (projections of other graphs that stay, >= 0, default 3)
// columns: name STRING (dropped)
// order:   name
// source:  kg-neo4j
CALL db.info() YIELD name AS database
CALL gds.graph.list() YIELD graphName, database AS home, creationTime
WITH * WHERE home = database AND graphName STARTS WITH $prefix
WITH graphName AS name, duration.inSeconds(creationTime, datetime()).seconds AS age_s
ORDER BY age_s, name
WITH collect({name: name, age_s: age_s}) AS found
WITH [one IN found WHERE one.name STARTS WITH $graph_prefix AND one.age_s >= $age_s | one.name]
     + [one IN found WHERE NOT one.name STARTS WITH $graph_prefix | one.name][$others..] AS dropped
UNWIND dropped AS each
CALL gds.graph.drop(each, false) YIELD graphName AS name
RETURN name
ORDER BY name
