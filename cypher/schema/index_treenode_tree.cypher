// title:   Nodes of a narrative tree
// purpose: Finds what belongs to one tree without reading the nodes of all.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  the narrative thesis
CREATE INDEX kg_own_treenode_tree IF NOT EXISTS FOR (n:KgTreeNode) ON (n.tree)
