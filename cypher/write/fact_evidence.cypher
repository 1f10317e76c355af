// title:   All evidence of facts
// purpose: What fold needs: the stored values and every row that supports them.
// mode:    read
// params:  $ids LIST<STRING> (fact ids); $stored LIST<STRING> (property names of the fact);
//          $columns LIST<STRING> (property names of the evidence)
// columns: id STRING, type STRING, source STRING, target STRING, relationship STRING (where resolution touches the fact),
//          stored LIST<ANY>, evidence LIST<LIST>
// order:   none
// source:  kg-neo4j
UNWIND $ids AS id
MATCH (f:KgFact {id: id})
RETURN id,
       f.type AS type,
       f.source_key AS source,
       f.target_key AS target,
       f.relationship_id AS relationship,
       [name IN $stored | f[name]] AS stored,
       COLLECT {
         MATCH (f)-[s:STATED_IN]->(c:KgChunk)
         RETURN [c.document_id, c.index, s.row] + [name IN $columns | s[name]]
       } AS evidence
