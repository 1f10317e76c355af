// title:   Whether a fact is left
// purpose: Every filter. Resolution draws facts together; filters leave all of them, or none.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgFact {id: $id})
WHERE true /* left: stated this */
   OR (this.relationship_id IS NOT NULL
       AND EXISTS { MATCH (this_same:KgFact {relationship_id: this.relationship_id}) WHERE true /* left: stated this_same */ })
RETURN this.id AS id
