// title:   Search indexes on chunks, entities, facts and tree nodes
// purpose: What can be searched, and with which model; foreign indexes on the same property are seen, too.
// mode:    read
// params:  none
// columns: name STRING, kind STRING, label STRING, state STRING, dimension INTEGER
// order:   name
// source:  kg-neo4j
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, options
WHERE (type = 'FULLTEXT' AND name IN ['kg_chunk_text', 'kg_document_text', 'kg_entity_text', 'kg_fact_text', 'kg_treenode_text'])
   OR (type = 'VECTOR' AND properties = ['embedding'] AND labelsOrTypes[0] IN ['Chunk', 'Entity', 'Fact', 'TreeNode'])
RETURN name, type AS kind, labelsOrTypes[0] AS label, state, options.indexConfig['vector.dimensions'] AS dimension
ORDER BY name
