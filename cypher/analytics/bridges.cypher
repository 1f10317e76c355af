// title:   Bridges of a projection
// purpose: Pairs of entities whose relationships are all that holds two parts of a component together.
// mode:    read
// params:  $name STRING (name of the projection)
// columns: s INTEGER, t INTEGER (nums; s is the smaller one)
// order:   s, then t
// source:  the length study
CALL gds.bridges.stream($name, {concurrency: 1, logProgress: false})
YIELD from AS one, to AS other
RETURN CASE WHEN one < other THEN one ELSE other END AS s, CASE WHEN one < other THEN other ELSE one END AS t
ORDER BY s, t
