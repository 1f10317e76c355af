// title:   Write the folded values of entities
// purpose: Sets values, replaces the labels of types and clears the mark.
// mode:    write
// params:  $rows LIST<MAP> (id, values, labels and old_labels of each entity)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {id: row.id})
REMOVE e:Unsettled, e:$(row.old_labels)
SET e += row.values, e:$(row.labels)
