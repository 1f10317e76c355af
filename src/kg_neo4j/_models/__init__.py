"""Chat and embedding models behind a server, what they cost, their answers, prompts and tokens."""
