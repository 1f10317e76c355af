// title:   Some documents that filters leave
// purpose: Few documents are tested by their ids from then on.
// mode:    read
// params:  $graph STRING (graph name, default main); $most INTEGER (documents to return, >= 1, default 1001)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (d:KgDocument)
WHERE d.graph = $graph AND true /* left: document d */
RETURN d.id AS id
LIMIT $most
