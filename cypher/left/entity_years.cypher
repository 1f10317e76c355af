// title:   Whether an entity lived or is dated in a range
// purpose: Filters by time.
// mode:    read
// params:  $id STRING (of the one that is tested);
//          $only_dates LIST<STRING> (those in the range); $only_since INTEGER (year); $only_until INTEGER (year)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgEntity {id: $id})
WHERE (this.type IN ['DATE', 'YEAR'] AND this.name IN $only_dates)
   OR $only_since <= this.birth_year <= $only_until OR $only_since <= this.death_year <= $only_until
   OR (this.birth_year < $only_since AND this.death_year > $only_until)
   OR EXISTS { (this)-[this_drawn:!MENTIONED_IN&!IN_COMMUNITY]-(this_other:KgEntity)
               WHERE toString(this_drawn.start_date) IN $only_dates
                  OR (this_other.type IN ['DATE', 'YEAR'] AND this_other.name IN $only_dates) }
RETURN this.id AS id
