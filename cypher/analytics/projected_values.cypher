// title:   Values that are kept in a projection
// purpose: What an algorithm found for each entity. Long lists, because many short rows take ten times as long; the first 8
//          of a num's 52 bits divide them.
// mode:    read
// params:  $name STRING (name of the projection); $property STRING (of its nodes)
// columns: part INTEGER, nums LIST<INTEGER>, values LIST<ANY> (at each place that of the num at the same place)
// order:   part; within a part none
// source:  the length study
CALL gds.graph.nodeProperty.stream($name, $property, ['*'], {concurrency: 1})
YIELD nodeId, propertyValue
WITH nodeId / 17592186044416 AS part, collect(nodeId) AS nums, collect(propertyValue) AS values
RETURN part, nums, values
ORDER BY part
