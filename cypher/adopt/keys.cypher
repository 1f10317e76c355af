// title:   Keys of the nodes of another graph
// purpose: Which node has which key: read once for all entities of a label that are to be linked.
// mode:    read
// params:  $label STRING (a label); $key STRING (property)
// columns: node STRING (element id), value ANY
// order:   none
// source:  kg-neo4j
MATCH (n:$($label))
WHERE NOT (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState) AND n[$key] IS NOT NULL
RETURN elementId(n) AS node, n[$key] AS value
