"""Personalised PageRank from what a question names, over a projection that is kept until the graph changes.

A walk that starts at the named entities, goes from a passage to the rarer entities in it and back to the passages that
speak of them, finds what a second hop away answers the question (HippoRAG, arXiv 2405.14831, spreads so over triples).
The projection is directed and weighted (`project_search`); nothing in it depends on the question, so it is kept.
The weights were set by hand, and hold over a wide range on three data sets (docs/decisions/0020-retrieval.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Transaction
from kg_neo4j.retrieve.interface import Scope, only
from kg_neo4j.retrieve.kept_projection import KeptProjection
from kg_neo4j.retrieve.linking import Linked, own_documents

BACK = 0.3  # width of the way from an entity to a chunk that mentions it, beside 1 for the way there
PASSAGE = 3.0  # of the way from an entity to the passage about it
TITLED = 1.0  # how much wider the way to an entity is that has a passage of its own
DAMPING = 0.85
ITERATIONS = 20  # at most; the walk ends when no score changes by more than the tolerance
TOLERANCE = 1e-4
KEEP = 60  # chunks, and entities, that a walk gives
LOOKED_AT = 50 * KEEP  # nodes of the highest scores, of which these are taken; with filters every node
EVERYTHING = 2**62


@dataclass(frozen=True, slots=True)
class Reached:
    """Where the walk was: (id, share of the best one's score, above 0 to 1), best first."""

    chunks: tuple[tuple[str, float], ...] = ()
    entities: tuple[tuple[str, float], ...] = ()


def spread(
    database: Database, graph: str, start: Linked, chunks: Sequence[str] = (), scope: Scope | None = None
) -> Reached:
    """Return what is near to the entities and documents of `start` and to `chunks` (ids); of `scope` alone.

    The walk goes over the whole graph all the same: what it walks over does not depend on filters.
    Raises GdsMissing where the server has no GDS, NotEnoughMemory where the graph does not fit beside what is there.
    """

    def make(transaction: Transaction, name: str) -> bool:
        own = own_documents(transaction.run(queries.get("retrieve/named_things"), graph=graph))
        widths = {"back": BACK, "passage": PASSAGE, "titled": TITLED}
        made = transaction.run(queries.get("retrieve/project_search"), graph=graph, name=name, own=own, **widths)
        return made[0]["projection"] is not None

    def step(reader: Reader, name: str) -> Reached:
        return _walk(reader, name, start, chunks, scope)

    return KeptProjection(database, graph, "entities", make, step).walk() or Reached()


def _walk(reader: Reader, name: str, start: Linked, chunks: Sequence[str], scope: Scope | None) -> Reached:
    rows = reader.read(
        queries.get("retrieve/spread"),
        name=name,
        entities=list(start.entities),
        documents=list(start.documents),
        chunks=list(chunks),
        damping=DAMPING,
        iterations=ITERATIONS,
        tolerance=TOLERANCE,
        most=LOOKED_AT if scope is None else EVERYTHING,
        keep=KEEP,
        **only(scope, "chunks", "entities"),
    )
    found: dict[str, list[tuple[str, float]]] = {"chunk": [], "entity": []}
    for row in rows:
        found[row["kind"]].append((row["id"], row["score"]))
    return Reached(*(tuple((each, score / of[0][1]) for each, score in of) for of in found.values()))
