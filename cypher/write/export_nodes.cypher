// title:   All nodes for the export
// purpose: All nodes of a graph, in one order. Revoked decisions shape nothing and are left out; answers about
//          descriptions, communities and trees are, like vectors and fits: the summaries and reports made of them are
//          there. So are the numbers of communities, which depend on former runs.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: labels LIST<STRING>, properties MAP
// order:   structural label, then id
// source:  kg-neo4j
MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgTree|KgTreeNode)
WHERE n.graph = $graph AND NOT coalesce(n.revoked, false) AND NOT (n:KgAnswer AND n.kind IN ['description', 'report', 'aspects', 'summary', 'detail', 'vector'])
RETURN [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'] AS labels, n {.*, embedding: null, fit: null, number: CASE WHEN n:KgCommunity THEN null ELSE n.number END} AS properties
ORDER BY [label IN labels(n) WHERE label IN ['Answer', 'Chunk', 'Community', 'Decision', 'Detail', 'Document', 'Entity', 'Fact',
                                          'Passage', 'Summary', 'Tree']][0], n.id
