"""The mode `naive`: chunks alone, by words and by meaning."""

from __future__ import annotations

from kg_neo4j.graph.database import Reader
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Found, Scope, Search, read_chunk

FETCH = 100  # neighbours asked of a vector index, of which those of other graphs are left out
FETCH_FILTERED = 1_000  # likewise where filters leave others out, too; where these are not enough the search is exact


def retrieve(reader: Reader, search: Search, chunks: int | None = None) -> Found:
    """Return the best chunks of the graph, fused by reciprocal rank: `chunks` of them, or as many as its options say.

    One round trip.
    """
    chosen = search.options.chunks
    chunks = chunks or chosen.top_k
    row = read_left(
        reader,
        search.scope,
        "retrieve/naive",
        graph=search.graph,
        words=None if chosen.cosine else search.words,
        vector=None if search.vector is None else list(search.vector),
        chunk_index=search.chunk_index,
        fetch=fetched(search.scope, chunks),
        fetch_words=fetched(search.scope, chunks),
        chunks=chunks,
    )[0]
    return Found("naive", tuple(read_chunk(chunk) for chunk in row["chunks"]))


def fetched(scope: Scope | None, chunks: int) -> int:
    """Return how many neighbours to ask of a vector index for `chunks` chunks."""
    return max(FETCH if scope is None else FETCH_FILTERED, 4 * chunks)
