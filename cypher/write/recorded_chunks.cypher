// title:   Which chunks are recorded
// purpose: Lets a repeated or unclear write see what has already happened.
// mode:    read
// params:  $ids LIST<STRING> (chunk ids)
// columns: id STRING, recorded STRING
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})
WHERE c.recorded IS NOT NULL
RETURN id, c.recorded AS recorded
