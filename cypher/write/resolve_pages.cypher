// title:   Pages of a wiki as evidence of identity
// purpose: Titles that lead to a loaded page, and titles that it links to.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: document STRING, title STRING, redirects LIST<STRING>, links LIST<STRING>
// order:   document
// source:  the graph article
MATCH (d:KgDocument)
WHERE d.graph = $graph AND d.kind = 'wikipedia'
RETURN d.id AS document, d.title AS title, coalesce(d.redirects, []) AS redirects, coalesce(d.links, []) AS links
ORDER BY document
