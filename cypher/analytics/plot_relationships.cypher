// title:   Relationships of a picture
// purpose: Every relationship between the entities drawn.
// mode:    read
// params:  $graph STRING (graph name, default main); $nums LIST<INTEGER> (num of each entity drawn)
// columns: Source INTEGER, Type STRING, Target INTEGER, Evidence INTEGER (rows that state it, >= 1),
//          Fact STRING (id of its fact; empty where it has none),
//          Years LIST<INTEGER> (of its dates, or of an end that is a date; negative for BC)
// order:   Source, Target, Type, Fact
// source:  kg-neo4j
UNWIND $nums AS num
MATCH (a:KgEntity {graph: $graph, num: num})-[r]->(b:KgEntity {graph: $graph})
WHERE b.num IN $nums
WITH a, r, b, [date IN [r.start_date, r.end_date] + [end IN [a, b] WHERE end.type IN ['DATE', 'YEAR'] | end.name]
               WHERE date IS NOT NULL | toString(date)] AS dates
RETURN a.num AS Source, type(r) AS Type, b.num AS Target, coalesce(r.evidence_count, 1) AS Evidence,
       coalesce(r.fact_id, '') AS Fact,
       [year IN [date IN dates | CASE
           WHEN date =~ '-\\d+.*' THEN -toInteger(split(date, '-')[1])
           ELSE toInteger(head([word IN split(reduce(text = date, mark IN ['-', ',', '.'] | replace(text, mark, ' ')), ' ')
                                WHERE word =~ '\\d{3,4}']))
         END] WHERE year IS NOT NULL] AS Years
ORDER BY Source, Target, Type, Fact
