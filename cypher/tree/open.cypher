// title:   Open a narrative tree for writing
// purpose: Readers leave it alone until it is whole again; a run that is stopped goes on with this fit.
// mode:    write
// params:  $graph STRING (graph name, default main); $id STRING (tree id); $fit STRING (JSON); $settings STRING (JSON);
//          $answers LIST<STRING> (ids of those that name the aspects)
// columns: none
// order:   none
// source:  the narrative thesis
MATCH (t:KgTree {id: $id})
WHERE t.graph = $graph
SET t.complete = false, t.fit = $fit, t.settings = $settings, t.answers = $answers
