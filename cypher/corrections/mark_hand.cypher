// title:   Mark what a person states
// purpose: Evidence of documents by hand is known by its mark, and what rests on it is folded again.
// mode:    write
// params:  $ids LIST<STRING> (chunks)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (c:KgChunk {id: id})<-[evidence:MENTIONED_IN|STATED_IN]-(n)
WHERE evidence.by_hand IS NULL
SET evidence.by_hand = true, n:Unsettled
