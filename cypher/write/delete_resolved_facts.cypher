// title:   Delete facts that lost their last evidence and that resolution touches
// purpose: The relationship that they were drawn with is drawn again before, from the facts that are left.
// mode:    write
// params:  $ids LIST<STRING> (fact ids)
// columns: none
// order:   none
// source:  the graph article
UNWIND $ids AS id
MATCH (f:KgFact {id: id})
WHERE NOT EXISTS { (f)-[:STATED_IN]->() }
DETACH DELETE f
