// title:   Size of some documents in a graph
// purpose: Entities that they mention, and relationships that they state; each is counted as in count_graph.
// mode:    read
// params:  $graph STRING (graph name, default main); $ids LIST<STRING> (documents)
// columns: nodes INTEGER, relationships INTEGER
// order:   none
// source:  kg-neo4j
RETURN COUNT {
         UNWIND $ids AS id
         MATCH (:KgDocument {id: id})<-[:IN_DOCUMENT]-(:KgChunk)<-[:MENTIONED_IN]-(e:KgEntity {graph: $graph})
         RETURN DISTINCT e
       } AS nodes,
       COUNT {
         UNWIND $ids AS id
         MATCH (:KgDocument {id: id})<-[:IN_DOCUMENT]-(:KgChunk)<-[:STATED_IN]-(f:KgFact {graph: $graph})
         WHERE f.stated IS NULL
           AND (f.relationship_id IS NULL OR f.source_key = f.target_key
                OR coalesce(f.source_id, f.source_key) <> coalesce(f.target_id, f.target_key))
         RETURN DISTINCT coalesce(f.relationship_id, f.id)
       } AS relationships
