"""Answers without a model: the sentences that answer best."""
