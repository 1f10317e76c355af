"""Constrained output: what holds a model's answer to the rows of a schema, sent where a server takes it.

`constraint` is what an extractor uses; `grammars` has the grammar, `json_rows` the JSON schema and its way to CSV.
"""
