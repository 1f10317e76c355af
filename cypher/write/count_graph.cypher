// title:   Size of a graph
// purpose: Entities and the relationships between them; evidence and other structure left out. Facts that resolution
//          draws as one relationship count once; those between an entity and itself that it made one are not drawn, nor
//          those that are only likely.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: nodes INTEGER, relationships INTEGER
// order:   none
// source:  kg-neo4j
RETURN COUNT { MATCH (:KgEntity {graph: $graph}) } AS nodes,
       COUNT { MATCH (f:KgFact {graph: $graph}) WHERE f.relationship_id IS NULL AND f.stated IS NULL }
       + COUNT {
           MATCH (f:KgFact {graph: $graph})
           WHERE f.relationship_id IS NOT NULL AND f.stated IS NULL
             AND (f.source_key = f.target_key
                  OR coalesce(f.source_id, f.source_key) <> coalesce(f.target_id, f.target_key))
           RETURN DISTINCT f.relationship_id
         } AS relationships
