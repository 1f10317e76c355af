// title:   Write the folded values of facts that resolution touches
// purpose: Sets values on the fact alone and clears the mark; its relationship is drawn with the other facts of its kind.
// mode:    write
// params:  $rows LIST<MAP> (id and values of each fact)
// columns: none
// order:   none
// source:  the graph article
UNWIND $rows AS row
MATCH (f:KgFact {id: row.id})
REMOVE f:Unsettled
SET f += row.values
