"""Erasure: what a document leaves behind in our files and in the graph, and a local store without deleted text."""
