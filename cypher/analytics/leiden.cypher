// title:   Communities of a projection
// purpose: Leiden by weight, with the communities of all levels. Entities that share them on all levels are one row of a
//          list: there are far fewer of these than entities. Long lists, because many short rows take ten times as long;
//          4,096 labels of the finest level divide them.
// mode:    read
// params:  $name STRING (name of the projection); $seed INTEGER (of the random draws)
// columns: part INTEGER, labels LIST<LIST> (of the communities, finest first: numbers without meaning), members LIST<LIST>
//          (nums of those who have the labels at the same place)
// order:   part; within a part none
// source:  kg-neo4j
CALL gds.leiden.stream($name, {relationshipWeightProperty: 'weight', includeIntermediateCommunities: true,
                               randomSeed: $seed, concurrency: 1, logProgress: false})
YIELD nodeId, intermediateCommunityIds
WITH intermediateCommunityIds AS labels, collect(nodeId) AS nums
WITH head(labels) / 4096 AS part, collect(labels) AS labels, collect(nums) AS members
RETURN part, labels, members
ORDER BY part
