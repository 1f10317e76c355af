// title:   Give chunks of an earlier version their heading
// purpose: The title of the document and the section are searched with the text. Repeated until nothing is left.
// mode:    write
// params:  $limit INTEGER (chunks at a time, >= 1, default 10000)
// columns: added INTEGER
// order:   none
// source:  kg-neo4j
MATCH (c:KgChunk)-[:IN_DOCUMENT]->(d:KgDocument)
WHERE c.heading IS NULL AND (coalesce(d.title, '') <> '' OR c.section IS NOT NULL)
WITH c, coalesce(d.title, '') AS title, coalesce(c.section, '') AS section LIMIT $limit
SET c.heading = replace(
  CASE
    WHEN section = title OR section STARTS WITH title + ' > ' OR title = '' THEN section
    WHEN section = '' THEN title
    ELSE title + ' > ' + section
  END, '_', ' ')
RETURN count(*) AS added
