"""The mode `naive`: chunks alone, by words and by meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Reader
from kg_neo4j.retrieve.interface import Found, Scope, Search, read_chunk
from kg_neo4j.retrieve.left import read_left

CHUNKS = 12  # at 1,200 tokens more than twice the default context
FETCH = 100  # neighbours asked of a vector index, of which those of other graphs are left out
FETCH_FILTERED = 1_000  # likewise where filters leave others out, too; where these are not enough the search is exact


@dataclass(frozen=True, slots=True)
class ChunkChoice:
    """Which chunks the mode `naive` reads."""

    top_k: int = CHUNKS  # at most
    cosine: bool = False  # by vectors alone, as naive RAG is published

    def __post_init__(self) -> None:
        """Raise UsageError for invalid values."""
        if self.top_k < 1:
            raise UsageError(f"top_k is at least 1, not {self.top_k}", hint="--top-k 12")

    def of(self, search: Search) -> Search:
        """Return a search by vectors alone, where that is chosen."""
        return replace(search, words=None) if self.cosine else search


def retrieve(reader: Reader, search: Search, chunks: int = CHUNKS) -> Found:
    """Return the best `chunks` chunks of the graph, fused by reciprocal rank. One round trip."""
    row = read_left(
        reader,
        search.scope,
        "retrieve/naive",
        graph=search.graph,
        words=search.words,
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
