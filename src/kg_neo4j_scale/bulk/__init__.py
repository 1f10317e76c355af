"""A graph from files of extractions, made outside the database: tables, names, folded rows, files for Neo4j's importer.

tables (Parquet, a row for each row of the graph) -> naming (sure joins, aliases) -> folding (values by key, in order)
        -> files in the importer's CSV

The graph is the one that recording, settling and deriving names would give: the same pure functions make the ids, fold
the evidence and join the names. DuckDB sorts and joins, so memory does not grow with the graph.
"""
