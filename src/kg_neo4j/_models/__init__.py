"""Chat and embedding models, prompts and tokens."""
