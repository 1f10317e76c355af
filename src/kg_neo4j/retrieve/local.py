"""The mode `local`: what the question names, what lies near it in the graph, and what matches by words and meaning."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph.database import Database, Reader, Row, Transaction
from kg_neo4j.retrieve import naive
from kg_neo4j.retrieve.interface import CHUNKS, Found, Linked, Search, read_chunk, read_entity, read_fact
from kg_neo4j.retrieve.left import read_left
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.naive import fetched
from kg_neo4j.retrieve.ranking import rank
from kg_neo4j.retrieve.spreading import Reached, spread

SEEDS = 8  # entities to start from
FACTS = 16  # facts found by themselves
PER_SEED = 20  # facts around one entity: the bound that keeps hubs fast
EVERYTHING = 2**31 - 1  # finds by words that an index gives
HUB = 2_000  # relationships of one entity that are looked at for the best of them
REACHED = 6  # entities near to those that are named
FIRST = 3  # chunks to start from where nothing is named
FLAT = 12  # chunks that words and meaning find, beside what the walk reaches


def retrieve(database: Database, search: Search, chunks: int = CHUNKS) -> Found:
    """Return entities, facts and chunks of the graph, in a handful of round trips.

    Where nothing in the question is named in the graph, the walk starts at the best chunks. Without GDS, or without
    memory for it, nothing is followed, and a note says so.
    """
    linked, flat = database.read_transaction(lambda transaction: _start(transaction, search))
    notes: tuple[str, ...] = ()
    reached = Reached()
    try:
        if linked or flat:
            reached = spread(database, search.graph, linked, () if linked else flat[:FIRST], search.scope)
    except (GdsMissing, NotEnoughMemory) as missing:
        notes = (f"links were not followed: {missing}",)

    def read(transaction: Transaction) -> Found:
        ranked = rank(transaction, search, reached.chunks, flat)[:chunks]
        return match(transaction, search, linked, reached, ranked, notes=notes)

    return database.read_transaction(read)


def _start(reader: Reader, search: Search) -> tuple[Linked, tuple[str, ...]]:
    """Return what the question names, and the chunks that flat search finds."""
    flat = tuple(each.id for each in naive.retrieve(reader, search, FLAT).chunks)
    return named(reader, search), flat


def match(
    reader: Reader,
    search: Search,
    linked: Linked,
    reached: Reached,
    ranked: Sequence[tuple[str, float]],
    *,
    notes: tuple[str, ...] = (),
) -> Found:
    """Return what matches by words and meaning, one hop around it, and the `ranked` chunks.

    One query; two where filters leave too few of the best finds by words.
    """
    vector = None if search.vector is None else list(search.vector)
    near = [each for each, _ in reached.entities if each not in linked.entities][:REACHED]

    def read(words: int) -> Row:
        return read_left(
            reader,
            search.scope,
            "retrieve/local",
            graph=search.graph,
            words=search.words,
            entity_vector=vector if search.entity_index else None,
            fact_vector=vector if search.fact_index else None,
            linked=list(linked.entities),
            reached=near,
            ranked=[{"id": each, "score": score} for each, score in ranked],
            fetch_words=words,
            seeds=SEEDS,
            facts=FACTS,
            per_seed=PER_SEED,
            hub=HUB,
            filtered=search.scope is not None,
        )[0]

    row = read(fetched(search.scope, CHUNKS))
    if row["short"]:
        row = read(EVERYTHING)
    return Found(
        "local",
        tuple(read_chunk(chunk) for chunk in row["chunks"]),
        tuple(read_entity(entity) for entity in row["entities"]),
        tuple(read_fact(fact) for fact in row["facts"]),
        notes,
    )
