"""The mode `cypher`: canned questions, and queries that a model writes, behind guards."""
