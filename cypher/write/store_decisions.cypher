// title:   Store decisions on who is who
// purpose: The mark says that the graph does not show them yet; a run that is killed here is finished by the next.
// mode:    write
// params:  $rows LIST<MAP> (all properties of each decision)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MERGE (d:KgDecision:Decision {id: row.id})
SET d = row, d:Unsettled
