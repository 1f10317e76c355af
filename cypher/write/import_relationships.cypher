// title:   Create relationships of a file
// purpose: Types are of an allow-list; both ends are nodes of the same graph.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<MAP> (type, start, end, properties)
// columns: written INTEGER (must be the number of rows)
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (a:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgTree|KgTreeNode {id: row.start})
MATCH (b:KgAnswer|KgChunk|KgPassage|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgTree|KgTreeNode {id: row.end})
WHERE a.graph = $graph AND b.graph = $graph
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN count(*) AS written
