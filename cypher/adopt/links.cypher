// title:   Links to nodes of another graph
// purpose: What is linked now, and whether the node still has the label and the key that the link names.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: link STRING (element id), node STRING (element id), entity STRING, label STRING, property STRING, key STRING, how STRING, mentions INTEGER,
//          documents INTEGER, is_labelled BOOLEAN, value ANY (of the property now)
// order:   none
// source:  kg-neo4j
MATCH (e:KgEntity)-[r:SAME_AS]->(n)
WHERE e.graph = $graph AND r.graph = $graph AND NOT n:KgEntity
RETURN elementId(r) AS link, elementId(n) AS node, e.id AS entity, r.label AS label, r.property AS property, r.key AS key, r.how AS how,
       r.mentions AS mentions, r.documents AS documents, r.label IN labels(n) AS is_labelled, n[r.property] AS value
