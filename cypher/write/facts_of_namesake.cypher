// title:   Facts that one document states of a mention key
// purpose: The document means another bearer of the name: what it states is of that one.
// mode:    read
// params:  $graph STRING (graph name, default main); $id STRING (entity that the key belongs to); $key STRING (mention key);
//          $document STRING (document id); $identity LIST<STRING> (columns that tell facts apart)
// columns: id STRING, type STRING, source_key STRING, target_key STRING, identity LIST<ANY>
// order:   id
// source:  the graph article
MATCH (e:KgEntity {id: $id})
WHERE e.graph = $graph
MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)
WHERE m.key = $key AND c.document_id = $document
MATCH (c)<-[s:STATED_IN]-(f:KgFact)
WHERE f.source_key = $key OR f.target_key = $key
WITH f, head(collect([name IN $identity | s[name]])) AS identity
RETURN f.id AS id, f.type AS type, f.source_key AS source_key, f.target_key AS target_key, identity
ORDER BY id
