// title:   Nodes of others under labels of ours
// purpose: Says how much foreign data stands in the way of a constraint.
// mode:    read
// params:  none
// columns: nodes INTEGER
// order:   none
// source:  kg-neo4j
MATCH (n:Document|Chunk|Answer|Entity|Fact|Community|Summary|Detail|Decision|Tree|TreeNode|Lease|GraphState)
WHERE n.graph IS NULL
RETURN count(*) AS nodes
