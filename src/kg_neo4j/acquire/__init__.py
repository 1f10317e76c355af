"""Stage 1: sources become documents, documents become chunks."""
