"""Readers of what people have: slides, sheets, mail, books, notebooks. Each makes text with sections of one file.

A reader is found by its entry point in the group "kg_neo4j.readers", whose name is the suffix: see `acquire.readers`.
"""
