"""The mode `local`: entities, facts and chunks that match, and what stands around the entities in the graph."""

from __future__ import annotations

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.retrieve.interface import Found, Search, read_chunk, read_entity, read_fact
from kg_neo4j.retrieve.naive import CHUNKS, FETCH

SEEDS = 8  # entities to start from
FACTS = 16  # facts found by themselves
PER_SEED = 20  # facts around one entity: the bound that keeps hubs fast
HUB = 2_000  # relationships of one entity that are looked at for the best of them


def retrieve(database: Database, search: Search, chunks: int = CHUNKS) -> Found:
    """Return entities, facts and chunks of the graph. One round trip, one state of the graph."""
    row = database.read(
        queries.get("retrieve/local"),
        graph=search.graph,
        words=search.words,
        vector=None if search.vector is None else list(search.vector),
        chunk_index=search.chunk_index,
        entity_index=search.entity_index,
        fact_index=search.fact_index,
        fetch=max(FETCH, 4 * chunks),
        chunks=chunks,
        seeds=SEEDS,
        facts=FACTS,
        per_seed=PER_SEED,
        hub=HUB,
    )[0]
    return Found(
        "local",
        tuple(read_chunk(chunk) for chunk in row["chunks"]),
        tuple(read_entity(entity) for entity in row["entities"]),
        tuple(read_fact(fact) for fact in row["facts"]),
    )
