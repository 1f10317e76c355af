// title:   Facts by the relationship that they are drawn as
// purpose: Finds the facts that resolution draws as one relationship; facts that no decision touches are not in it.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE INDEX kg_own_fact_relationship IF NOT EXISTS FOR (n:KgFact) ON (n.relationship_id)
