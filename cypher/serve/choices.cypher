// title:   Values that filters of documents may have
// purpose: Lets a person choose languages, kinds and titles from what a graph has.
// mode:    read
// params:  $graph STRING (graph name, default main); $most INTEGER (titles, >= 1, default 60)
// columns: languages LIST<STRING>, kinds LIST<STRING>, documents LIST<STRING> (titles, or keys of those without one)
// order:   none; each list by name
// source:  kg-neo4j
RETURN COLLECT { MATCH (d:KgDocument {graph: $graph}) WHERE d.language IS NOT NULL RETURN DISTINCT d.language AS value ORDER BY value } AS languages,
       COLLECT { MATCH (d:KgDocument {graph: $graph}) RETURN DISTINCT d.kind AS value ORDER BY value } AS kinds,
       COLLECT { MATCH (d:KgDocument {graph: $graph}) RETURN DISTINCT coalesce(d.title, d.key) AS value ORDER BY value LIMIT $most } AS documents
