// title:   Relationship types of a graph, their ends and properties
// purpose: What a model is told, and held to, when it writes a query.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: RelationshipType STRING, Count INTEGER, SourceType STRING (the commonest of its entities), TargetType STRING (likewise),
//          Source STRING (name of an entity that has one), Target STRING (of the entity that it leads to),
//          Properties LIST<STRING> (names that occur, sorted)
// order:   Count descending, then RelationshipType
// source:  kg-neo4j
MATCH (a:KgEntity|KgChunk|KgFact)-[r]->(b:KgEntity|KgChunk|KgDocument)
WHERE a.graph = $graph AND b.graph = $graph
WITH type(r) AS RelationshipType, a.type AS source, b.type AS target, keys(r) AS names, count(*) AS n,
     min([a.name, b.name]) AS sample
ORDER BY n DESC, source, target
WITH RelationshipType, sum(n) AS Count, collect([source, target, sample[0], sample[1]]) AS ends, collect(names) AS all
UNWIND all AS some
UNWIND CASE WHEN some = [] THEN [null] ELSE some END AS name
WITH DISTINCT RelationshipType, Count, ends[0] AS ends, name ORDER BY name
RETURN RelationshipType, Count, ends[0] AS SourceType, ends[1] AS TargetType, ends[2] AS Source, ends[3] AS Target,
       collect(name) AS Properties
ORDER BY Count DESC, RelationshipType
