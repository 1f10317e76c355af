// title:   Dates as the texts of a graph give them
// purpose: Which of them are in a range of years is read from these; documents have no date of their own.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: date STRING
// order:   date
// source:  kg-neo4j
CALL () {
  MATCH (f:KgFact) WHERE f.graph = $graph AND f.start_date IS NOT NULL
  RETURN toString(f.start_date) AS date
  UNION
  MATCH (f:KgFact)-[s:STATED_IN]->() WHERE f.graph = $graph AND s.start_date IS NOT NULL
  RETURN toString(s.start_date) AS date
  UNION
  MATCH (e:KgEntity) WHERE e.graph = $graph AND e.type IN ['DATE', 'YEAR']
  RETURN e.name AS date
}
RETURN date
ORDER BY date
