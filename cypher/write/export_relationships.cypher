// title:   All relationships for the export
// purpose: All relationships between the nodes that the export has, in one order.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: type STRING, start STRING, end STRING, properties MAP
// order:   start, then type, then end, then row, then fact
// source:  kg-neo4j
MATCH (a:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgTree|KgTreeNode)-[r]->(b)
WHERE a.graph = $graph AND b.graph = $graph AND NOT (a:KgAnswer AND a.kind IN ['description', 'report', 'aspects', 'summary', 'detail', 'vector'])
RETURN type(r) AS type, a.id AS start, b.id AS end, properties(r) AS properties
ORDER BY start, type, end, r.row, r.fact_id
