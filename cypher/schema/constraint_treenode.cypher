// title:   One TreeNode per id
// purpose: Passages, summaries and details are all found by their id; a second write of the same one is a match.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE CONSTRAINT kg_own_treenode_id IF NOT EXISTS FOR (n:KgTreeNode) REQUIRE n.id IS UNIQUE
