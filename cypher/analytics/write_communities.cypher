// title:   Write communities
// purpose: Creates communities, or gives them their new number.
// mode:    write
// params:  $graph STRING (graph name, default main); $rows LIST<LIST> (id, level, number, size)
// columns: none
// order:   none
// source:  the length study
UNWIND $rows AS row
MERGE (c:KgCommunity:Community {id: row[0]})
SET c.graph = $graph, c.level = row[1], c.number = row[2], c.size = row[3]
