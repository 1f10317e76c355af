// title:   Facts whose ends have one of some mention keys
// purpose: A fact is stated in chunks that mention both of its ends.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (entities that the keys belong to);
//          $keys LIST<STRING> (mention keys); $identity LIST<STRING> (columns that tell facts apart)
// columns: id STRING, type STRING, source_key STRING, target_key STRING, identity LIST<ANY>
// order:   id
// source:  the graph article
UNWIND $ids AS id
MATCH (e:KgEntity {id: id})
WHERE e.graph = $graph
CALL (e) {
  MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)
  WHERE m.key IN $keys
  MATCH (c)<-[s:STATED_IN]-(f:KgFact)
  WHERE f.source_key = m.key OR f.target_key = m.key
  RETURN f, [name IN $identity | s[name]] AS identity
}
WITH f, head(collect(identity)) AS identity
RETURN f.id AS id, f.type AS type, f.source_key AS source_key, f.target_key AS target_key, identity
ORDER BY id
