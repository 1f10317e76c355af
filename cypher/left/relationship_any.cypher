// title:   Whether the fact that a relationship is drawn from is left
// purpose: Every filter.
// mode:    read
// params:  $id STRING (of the one that is tested)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (:KgEntity {id: $id})-[this:!MENTIONED_IN&!IN_COMMUNITY]-(other:KgEntity)
WHERE EXISTS { MATCH (this_fact:KgFact {id: this.fact_id}) WHERE true /* left: fact this_fact */ }
RETURN other.id AS id
