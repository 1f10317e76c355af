// title:   Texts of chunks
// purpose: Lets a citation be compared with what it cites.
// mode:    read
// params:  $ids LIST<STRING> (chunk ids)
// columns: id STRING, text STRING
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
RETURN id, c.text AS text
