"""Follow-ups of a conversation, made to stand by themselves."""
