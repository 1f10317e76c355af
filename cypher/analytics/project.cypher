// title:   Project one graph for GDS
// purpose: Entities by their number, pairs and then the entities without a pair in the order in which they are given: one
//          order, whatever the order of loading.
// mode:    read
// params:  $name STRING (name of the projection); $sources LIST<INTEGER> (nums of the first of each pair);
//          $targets LIST<INTEGER> (of the second); $weights LIST<FLOAT> (0 to 1); $alone LIST<INTEGER> (nums without a pair)
// columns: projection MAP
// order:   none
// source:  the length study
CALL () {
  UNWIND range(0, size($sources) - 1) AS place
  RETURN $sources[place] AS s, $targets[place] AS t, $weights[place] AS weight
  UNION ALL
  UNWIND $alone AS s
  RETURN s, null AS t, null AS weight
}
RETURN gds.graph.project($name, s, t, {relationshipProperties: {weight: weight}},
                         {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projection
