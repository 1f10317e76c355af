"""Stage 4: what is computed from the graph: communities, analytics, vectors."""
