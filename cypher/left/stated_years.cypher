// title:   Whether a fact is dated in a range
// purpose: Filters by time; of a fact by itself.
// mode:    read
// params:  $id STRING (of the one that is tested); $only_dates LIST<STRING> (those in the range)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgFact {id: $id})
WHERE toString(this.start_date) IN $only_dates
   OR EXISTS { MATCH (this_date:KgEntity)
               WHERE this_date.id IN [coalesce(this.source_id, this.source_key), coalesce(this.target_id, this.target_key)]
                 AND this_date.type IN ['DATE', 'YEAR'] AND this_date.name IN $only_dates }
RETURN this.id AS id
