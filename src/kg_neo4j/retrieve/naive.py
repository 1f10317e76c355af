"""The mode `naive`: chunks alone, by words and by meaning (W4's baseline)."""

from __future__ import annotations

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.retrieve.interface import Found, Search, read_chunk

CHUNKS = 12  # at 1,200 tokens more than twice the default context
FETCH = 100  # neighbours asked of a vector index, of which those of other graphs are left out


def retrieve(database: Database, search: Search, chunks: int = CHUNKS) -> Found:
    """Return the best `chunks` chunks of the graph, fused by reciprocal rank. One round trip."""
    row = database.read(
        queries.get("retrieve/naive"),
        graph=search.graph,
        words=search.words,
        vector=None if search.vector is None else list(search.vector),
        chunk_index=search.chunk_index,
        fetch=max(FETCH, 4 * chunks),
        chunks=chunks,
    )[0]
    return Found("naive", tuple(read_chunk(chunk) for chunk in row["chunks"]))
