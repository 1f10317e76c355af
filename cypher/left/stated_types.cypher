// title:   Whether an end of a fact is of some types
// purpose: Filters by type; of a fact by itself.
// mode:    read
// params:  $id STRING (of the one that is tested); $only_types LIST<STRING> (of entities)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgFact {id: $id})
WHERE EXISTS { MATCH (this_end:KgEntity)
               WHERE this_end.id IN [coalesce(this.source_id, this.source_key), coalesce(this.target_id, this.target_key)]
                 AND this_end.type IN $only_types }
RETURN this.id AS id
