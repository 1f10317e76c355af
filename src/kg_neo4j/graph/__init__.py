"""Stage 3: rows become an evidence-counted graph in Neo4j."""
