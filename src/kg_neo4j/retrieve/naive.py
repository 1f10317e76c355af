"""The mode `naive`: chunks alone, by words and by meaning."""

from __future__ import annotations

from dataclasses import replace

from kg_neo4j.graph.database import Reader
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Found, Scope, Search, read_chunk

DOCUMENTS = 40  # whose beginnings are read for a question about the whole: more than fit
FETCH = 200  # neighbours asked of a vector index, of which those of other graphs are left out
FETCH_FILTERED = 1_000  # likewise where filters leave others out, too; where these are not enough the search is exact


def retrieve(reader: Reader, search: Search, chunks: int | None = None) -> Found:
    """Return the best chunks of the graph, fused by reciprocal rank: `chunks` of them, or as many as its options say.

    One round trip.
    """
    chosen = search.options.chunks
    chunks = chunks or chosen.top_k
    averages = chosen.embedding == "average"
    index = search.chunk_index if averages else search.passage_index
    row = read_left(
        reader,
        search.scope,
        "retrieve/naive",
        search.inside(near_index=index),
        graph=search.graph,
        words=None if chosen.cosine else search.words,
        vector=None if search.vector is None else list(search.vector),
        near_index=index,
        average=averages,
        rest=rest_of(search),
        fetch=fetched(search.scope, chunks),
        fetch_words=fetched(search.scope, chunks),
        chunks=chunks,
    )[0]
    found = Found("naive", tuple(read_chunk(chunk) for chunk in row["chunks"]), worded=tuple(row["worded"]))
    return _with_beginnings(reader, search, found) if search.is_overview else found


def _with_beginnings(reader: Reader, search: Search, found: Found) -> Found:
    """Return what was found with the first chunk of each document, those of the documents that were found first."""
    rows = read_left(reader, search.scope, "retrieve/first_chunks", graph=search.graph, most=DOCUMENTS)
    titles = list(dict.fromkeys(chunk.document for chunk in found.chunks))
    first = sorted(rows, key=lambda row: row["document"] not in titles)
    known = {chunk.id for chunk in found.chunks}
    chunks = (*found.chunks, *(read_chunk(row) for row in first if row["id"] not in known))
    return replace(found, chunks=chunks, beginnings=tuple(row["id"] for row in first))


def rest_of(search: Search) -> list[float] | None:
    """Return the vector that passages are compared with: that of the question without its names."""
    return list(search.rest) if search.rest is not None and search.passage_index is not None else None


def fetched(scope: Scope | None, chunks: int) -> int:
    """Return how many neighbours to ask of a vector index for `chunks` chunks."""
    return max(FETCH if scope is None else FETCH_FILTERED, 4 * chunks)
