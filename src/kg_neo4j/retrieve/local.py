"""The mode `local`: what the question names, what lies near it in the graph, and what matches by words and meaning."""

from __future__ import annotations

from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph.database import Database, Reader, Row
from kg_neo4j.retrieve import naive
from kg_neo4j.retrieve.interface import Found, Search, read_chunk, read_entity, read_fact
from kg_neo4j.retrieve.left import read_left
from kg_neo4j.retrieve.linking import Linked, named
from kg_neo4j.retrieve.naive import CHUNKS, fetched
from kg_neo4j.retrieve.spreading import Reached, spread

SEEDS = 8  # entities to start from
FACTS = 16  # facts found by themselves
PER_SEED = 20  # facts around one entity: the bound that keeps hubs fast
EVERYTHING = 2**31 - 1  # finds by words that an index gives
HUB = 2_000  # relationships of one entity that are looked at for the best of them
REACHED = 6  # entities near to those that are named
FIRST = 3  # chunks to start from where nothing is named
FLAT_SHARE = 0.1  # of the score: what words and meaning find is kept in sight


def retrieve(database: Database, search: Search, chunks: int = CHUNKS, linked: Linked | None = None) -> Found:
    """Return entities, facts and chunks of the graph, in a handful of round trips. `linked`: as looked up before.

    Where nothing in the question is named in the graph, the walk starts at the best chunks. Without GDS, or without
    memory for it, nothing is followed, and a note says so.
    """
    start: tuple[str, ...] = ()
    if not linked:
        linked, start = database.read_transaction(lambda transaction: _start(transaction, search, linked))
    notes: tuple[str, ...] = ()
    reached = Reached()
    try:
        if linked or start:
            reached = spread(database, search.graph, linked, start, search.scope)
    except (GdsMissing, NotEnoughMemory) as missing:
        notes = (f"links were not followed: {missing}",)
    return match(database, search, linked, reached, chunks=chunks, notes=notes)


def _start(reader: Reader, search: Search, linked: Linked | None) -> tuple[Linked, tuple[str, ...]]:
    """Return what the question names, and the chunks to start from where that is nothing."""
    linked = named(reader, search) if linked is None else linked
    return linked, () if linked else tuple(each.id for each in naive.retrieve(reader, search, FIRST).chunks)


def match(
    database: Database,
    search: Search,
    linked: Linked,
    reached: Reached,
    *,
    chunks: int = CHUNKS,
    notes: tuple[str, ...] = (),
) -> Found:
    """Return what matches by words and meaning, one hop around it, and what was `reached`.

    One round trip; two where filters leave too few of the best finds by words.
    """
    near = [each for each, _ in reached.entities if each not in linked.entities][:REACHED]

    def read(words: int) -> Row:
        return read_left(
            database,
            search.scope,
            "retrieve/local",
            graph=search.graph,
            words=search.words,
            vector=None if search.vector is None else list(search.vector),
            chunk_index=search.chunk_index,
            entity_index=search.entity_index,
            fact_index=search.fact_index,
            linked=list(linked.entities),
            reached=near,
            spread=[{"id": each, "score": score} for each, score in reached.chunks],
            flat_share=FLAT_SHARE,
            fetch=fetched(search.scope, chunks),
            fetch_words=words,
            chunks=chunks,
            seeds=SEEDS,
            facts=FACTS,
            per_seed=PER_SEED,
            hub=HUB,
            filtered=search.scope is not None,
        )[0]

    row = read(fetched(search.scope, chunks))
    if row["short"]:
        row = read(EVERYTHING)
    return Found(
        "local",
        tuple(read_chunk(chunk) for chunk in row["chunks"]),
        tuple(read_entity(entity) for entity in row["entities"]),
        tuple(read_fact(fact) for fact in row["facts"]),
        notes,
    )
