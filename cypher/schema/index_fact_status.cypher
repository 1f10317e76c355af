// title:   Claims
// purpose: Finds the facts that are claims; others have no status and are not in it.
// mode:    schema
// params:  none
// columns: none
// order:   none
// source:  kg-neo4j
CREATE INDEX kg_own_fact_status IF NOT EXISTS FOR (n:KgFact) ON (n.status)
