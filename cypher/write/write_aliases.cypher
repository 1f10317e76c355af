// title:   Write aliases
// purpose: The other spellings of an entity's evidence and the names derived from all names of the graph.
// mode:    write
// params:  $rows LIST<MAP> (id and aliases of each entity)
// columns: none
// order:   none
// source:  kg-neo4j
UNWIND $rows AS row
MATCH (e:KgEntity {id: row.id})
SET e.aliases = row.aliases
