// title:   Whether a chunk gives a date in a range
// purpose: Filters by time: a date of a fact, a year of a life, or an entity that is a date.
// mode:    read
// params:  $id STRING (of the one that is tested);
//          $only_dates LIST<STRING> (those in the range); $only_since INTEGER (year); $only_until INTEGER (year)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgChunk {id: $id})
WHERE EXISTS {
  (this)<-[this_row:STATED_IN|MENTIONED_IN]-(this_source:KgFact|KgEntity)
  WHERE toString(this_row.start_date) IN $only_dates
     OR $only_since <= this_row.birth_year <= $only_until OR $only_since <= this_row.death_year <= $only_until
     OR (this_source.type IN ['DATE', 'YEAR'] AND this_source.name IN $only_dates) }
RETURN this.id AS id
