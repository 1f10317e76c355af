// title:   Project one graph for GDS
// purpose: Entities by their number, in the order in which the pairs are given: one order, whatever the order of loading.
//          Entities without a pair are left out.
// mode:    read
// params:  $name STRING (name of the projection); $sources LIST<INTEGER> (nums of the first of each pair);
//          $targets LIST<INTEGER> (of the second); $weights LIST<FLOAT> (0 to 1)
// columns: projection MAP
// order:   none
// source:  the length study
UNWIND range(0, size($sources) - 1) AS place
RETURN gds.graph.project($name, $sources[place], $targets[place], {relationshipProperties: {weight: $weights[place]}},
                         {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS projection
