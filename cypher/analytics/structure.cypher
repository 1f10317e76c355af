// title:   How the entities of a projection hang together
// purpose: Weakly connected components, k-core, triangles, local clustering and articulation points in one round trip; kept
//          in the projection first, so that each entity comes once. Long lists, because many short rows take ten times as
//          long; the first 8 of a num's 52 bits divide them.
// mode:    read
// params:  $name STRING (name of the projection)
// columns: part INTEGER, entities LIST<LIST> (num, component: a label without meaning, core, triangles, clustering: 0 to
//          1, articulation: true or false)
// order:   part; within a part none
// source:  the length study
CALL gds.wcc.mutate($name, {mutateProperty: 'component', concurrency: 1, logProgress: false}) YIELD componentCount
CALL gds.kcore.mutate($name, {mutateProperty: 'core', concurrency: 1, logProgress: false}) YIELD degeneracy
CALL gds.triangleCount.mutate($name, {mutateProperty: 'triangles', concurrency: 1, logProgress: false})
YIELD globalTriangleCount
CALL gds.localClusteringCoefficient.mutate($name, {mutateProperty: 'clustering', triangleCountProperty: 'triangles',
                                                   concurrency: 1, logProgress: false})
YIELD averageClusteringCoefficient
CALL gds.articulationPoints.mutate($name, {mutateProperty: 'articulation', concurrency: 1, logProgress: false})
YIELD articulationPointCount
CALL gds.graph.nodeProperties.stream($name, ['component', 'core', 'triangles', 'clustering', 'articulation'], ['*'],
                                     {concurrency: 1})
YIELD nodeId, nodeProperty, propertyValue
WITH nodeId,
     max(CASE nodeProperty WHEN 'component' THEN propertyValue END) AS component,
     max(CASE nodeProperty WHEN 'core' THEN propertyValue END) AS core,
     max(CASE nodeProperty WHEN 'triangles' THEN propertyValue END) AS triangles,
     max(CASE nodeProperty WHEN 'clustering' THEN propertyValue END) AS clustering,
     max(CASE nodeProperty WHEN 'articulation' THEN propertyValue END) AS articulation
WITH nodeId / 17592186044416 AS part,
     collect([nodeId, component, core, triangles, clustering, articulation = 1]) AS entities
RETURN part, entities
ORDER BY part
