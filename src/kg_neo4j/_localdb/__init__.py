"""The managed local Neo4j: lock, fetch, server, state."""
