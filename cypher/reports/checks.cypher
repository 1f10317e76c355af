// title:   Checks of the graph
// purpose: Each count is 0 in a graph that is whole and whose every row says what its sentences say.
// mode:    read
// params:  $graph STRING (graph name, default main)
// columns: Check STRING, Count INTEGER
// order:   as listed
// source:  kg-neo4j
RETURN 'entities without a type' AS Check,
       COUNT { MATCH (n:KgEntity) WHERE n.graph = $graph AND n.type IS NULL } AS Count
UNION ALL
RETURN 'entities whose label is not their type' AS Check,
       COUNT { MATCH (n:KgEntity) WHERE n.graph = $graph AND NOT n.type IN labels(n) } AS Count
UNION ALL
RETURN 'entities without evidence' AS Check,
       COUNT { MATCH (n:KgEntity) WHERE n.graph = $graph AND NOT EXISTS { (n)-[:MENTIONED_IN]->(:KgChunk) } } AS Count
UNION ALL
RETURN 'entities whose evidence is counted wrongly' AS Check,
       COUNT { MATCH (n:KgEntity) WHERE n.graph = $graph AND n.evidence_count <> COUNT { (n)-[:MENTIONED_IN]->(:KgChunk) } } AS Count
UNION ALL
RETURN 'facts without evidence' AS Check,
       COUNT { MATCH (f:KgFact) WHERE f.graph = $graph AND NOT EXISTS { (f)-[:STATED_IN]->(:KgChunk) } } AS Count
UNION ALL
RETURN 'facts whose evidence is counted wrongly' AS Check,
       COUNT { MATCH (f:KgFact) WHERE f.graph = $graph
               AND f.evidence_count <> COUNT { MATCH (f)-[s:STATED_IN]->(c:KgChunk)
                                           WHERE c.graph = $graph AND (s.stated IS NULL OR f.stated = false) } } AS Count
UNION ALL
RETURN 'rows of evidence without a quote' AS Check,
       COUNT { MATCH (n:KgEntity|KgFact)-[e:MENTIONED_IN|STATED_IN]->(:KgChunk) WHERE n.graph = $graph AND e.quote IS NULL } AS Count
UNION ALL
RETURN 'rows of evidence whose quote is not in the text' AS Check,
       COUNT { MATCH (n:KgEntity|KgFact)-[e:MENTIONED_IN|STATED_IN]->(:KgChunk)
               WHERE n.graph = $graph AND e.quote IS NOT NULL AND e.quote_start IS NULL } AS Count
UNION ALL
RETURN 'rows of evidence that say what their sentences do not say' AS Check,
       COUNT { MATCH (n:KgEntity|KgFact)-[e:MENTIONED_IN|STATED_IN]->(:KgChunk) WHERE n.graph = $graph AND e.flags IS NOT NULL } AS Count
UNION ALL
RETURN 'facts without their relationship' AS Check,
       COUNT { MATCH (f:KgFact) WHERE f.graph = $graph AND f.stated IS NULL
               AND (f.source_key = f.target_key OR coalesce(f.source_id, f.source_key) <> coalesce(f.target_id, f.target_key))
               AND NOT EXISTS { MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)})-[r]->(b:KgEntity {id: coalesce(f.target_id, f.target_key)})
                                WHERE a.graph = $graph AND b.graph = $graph AND type(r) = f.type
                                  AND (r.fact_id = f.id OR EXISTS { MATCH (g:KgFact {id: r.fact_id})
                                                                    WHERE g.graph = $graph AND g.relationship_id = f.relationship_id }) } } AS Count
UNION ALL
RETURN 'facts that are only likely, with a relationship' AS Check,
       COUNT { MATCH (f:KgFact) WHERE f.graph = $graph AND f.stated = false
               AND EXISTS { MATCH (a:KgEntity {id: f.source_key})-[r {fact_id: f.id}]->(b:KgEntity) WHERE a.graph = $graph AND b.graph = $graph } } AS Count
UNION ALL
RETURN 'relationships without their fact' AS Check,
       COUNT { MATCH (a:KgEntity)-[r:!MENTIONED_IN&!IN_COMMUNITY]->(b:KgEntity)
               WHERE a.graph = $graph AND b.graph = $graph
               AND NOT EXISTS { MATCH (f:KgFact {id: r.fact_id}) WHERE f.graph = $graph } } AS Count
UNION ALL
RETURN 'chunks without a document' AS Check,
       COUNT { MATCH (c:KgChunk) WHERE c.graph = $graph AND NOT EXISTS { (c)-[:IN_DOCUMENT]->(:KgDocument) } } AS Count
UNION ALL
RETURN 'passages without a chunk' AS Check,
       COUNT { MATCH (p:KgPassage) WHERE p.graph = $graph AND NOT EXISTS { (p)-[:IN_CHUNK]->(:KgChunk) } } AS Count
UNION ALL
RETURN 'chunks not done' AS Check,
       COUNT { MATCH (c:KgChunk) WHERE c.graph = $graph AND NOT coalesce(c.done, false) } AS Count
UNION ALL
RETURN 'entities, facts and decisions not settled' AS Check,
       COUNT { MATCH (n:KgEntity|KgFact|KgDecision) WHERE n.graph = $graph AND n:Unsettled } AS Count
UNION ALL
RETURN 'entities without a community' AS Check,
       COUNT { MATCH (n:KgEntity) WHERE n.graph = $graph AND NOT EXISTS { (n)-[:IN_COMMUNITY]->(:KgCommunity) }
               AND (n.pagerank IS NULL OR n.core > 0) } AS Count
UNION ALL
RETURN 'narrative trees that are not whole' AS Check,
       COUNT { MATCH (t:KgTree) WHERE t.graph = $graph AND NOT coalesce(t.complete, false) } AS Count
UNION ALL
RETURN 'narrative trees without a document' AS Check,
       COUNT { MATCH (t:KgTree) WHERE t.graph = $graph AND NOT EXISTS { (t)-[:TREE_OF]->(:KgDocument) } } AS Count
UNION ALL
RETURN 'passages, summaries and details without a tree' AS Check,
       COUNT { MATCH (n:KgTreeNode) WHERE n.graph = $graph AND NOT EXISTS { (n)-[:IN_TREE]->(:KgTree) }
               AND NOT EXISTS { (n)<-[:HAS_LEAF]-(:KgTree) } } AS Count
