// title:   Relationships of another graph
// purpose: The keys of both ends and properties of the relationships of a type between two labels that are not ours.
// mode:    read
// params:  $label STRING (of the start); $type STRING (of relationships); $other STRING (label of the end);
//          $key STRING (property of the start); $other_key STRING (property of the end); $properties LIST<STRING> (keys);
//          $limit INTEGER (relationships, >= 1)
// columns: cells LIST<ANY> (both keys, then the properties)
// order:   none
// source:  kg-neo4j
MATCH (n:$($label))-[r:$($type)]->(m:$($other))
WHERE NOT (n:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState)
  AND NOT (m:KgDocument|KgChunk|KgPassage|KgAnswer|KgEntity|KgFact|KgCommunity|KgDecision|KgTree|KgTreeNode|KgLease|KgGraphState)
WITH n, r, m LIMIT $limit
RETURN [n[$key], m[$other_key]] + [name IN $properties | r[name]] AS cells
