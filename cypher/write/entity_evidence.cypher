// title:   All evidence of entities
// purpose: What fold needs: the stored values and every row that supports them.
// mode:    read
// params:  $ids LIST<STRING> (entity ids); $stored LIST<STRING> (property names of the entity);
//          $columns LIST<STRING> (property names of the evidence)
// columns: id STRING, stored LIST<ANY>, evidence LIST<LIST>
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (e:KgEntity {id: id})
RETURN id,
       [name IN $stored | e[name]] AS stored,
       COLLECT {
         MATCH (e)-[m:MENTIONED_IN]->(c:KgChunk)
         RETURN [c.document_id, c.index, m.row, m.name, m.type] + [name IN $columns | m[name]]
       } AS evidence
