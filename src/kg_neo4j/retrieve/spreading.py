"""Personalised PageRank from what a question names, over a projection that is kept until the graph changes.

A walk that starts at the named entities, goes from a passage to the rarer entities in it and back to the passages that
speak of them, finds what a second hop away answers the question (HippoRAG, arXiv 2405.14831, spreads so over triples).
The projection is directed and weighted (`project_search`); nothing in it depends on the question, so it is kept.
The weights were set by hand, and hold over a wide range on three data sets (docs/decisions/0020-retrieval.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import DatabaseError, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction
from kg_neo4j.organise.projection import PREFIX
from kg_neo4j.retrieve.interface import Scope, only
from kg_neo4j.retrieve.linking import Linked, own_documents

SEARCH = PREFIX + "search/"
BACK = 0.3  # width of the way from an entity to a chunk that mentions it, beside 1 for the way there
PASSAGE = 3.0  # of the way from an entity to the passage about it
TITLED = 1.0  # how much wider the way to an entity is that has a passage of its own
DAMPING = 0.85
ITERATIONS = 20  # at most; the walk ends when no score changes by more than the tolerance
TOLERANCE = 1e-4
KEEP = 60  # chunks, and entities, that a walk gives
LOOKED_AT = 50 * KEEP  # nodes of the highest scores, of which these are taken; with filters every node
EVERYTHING = 2**62
FORMER_S = 30  # for which the projection of a former version stays: somebody may be walking over it
TRIES = 5
OTHERS = 3  # projections of other graphs that stay in memory


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
    for _ in range(TRIES):
        attempt = _Attempt(database, graph, start, chunks, scope)
        try:
            return database.read_transaction(attempt.walk)
        except DatabaseError:
            if not attempt.name:
                database.gds_version()  # says so where GDS is what is missing
                raise
            if _stands(database, graph, attempt.name) != attempt.is_projecting:
                raise  # else another run has made what we projected, or dropped what we walked over
    raise DatabaseError(
        f"graph {graph!r} changes faster than it can be read", hint="ask again when it is loaded, or use --mode naive"
    )


@dataclass(slots=True)
class _Attempt:
    """One transaction: the projection is made where it is not there, and walked over."""

    database: Database
    graph: str
    start: Linked
    chunks: Sequence[str]
    scope: Scope | None
    name: str = ""  # of the projection, from where its state is known
    is_projecting: bool = False  # it is being made

    def walk(self, transaction: Transaction) -> Reached:
        self.name, self.is_projecting = "", False
        state = _state(transaction, self.graph)
        name = _prefix(self.graph) + (state["version"] or "")
        if state["stands"] and state["version"]:
            self.name = name
        elif not self._project(transaction, name, is_former=state["stands"]):
            return Reached()
        return _walk(transaction, name, self.start, self.chunks, self.scope)

    def _project(self, transaction: Transaction, name: str, *, is_former: bool) -> bool:
        """Make the projection. Return False where there is nothing to walk over."""
        graph, drop = self.graph, queries.get("retrieve/drop_search")
        if is_former:  # of a graph that no version tells apart
            transaction.run(drop, graph_prefix=_prefix(graph), prefix=_prefix(graph), age_s=0, others=0)
        _check_memory(transaction, graph, self.database.address.shown)
        own = own_documents(transaction.run(queries.get("retrieve/named_things"), graph=graph))
        transaction.run(drop, graph_prefix=_prefix(graph), prefix=SEARCH, age_s=FORMER_S, others=OTHERS)
        self.name, self.is_projecting = name, True
        widths = {"back": BACK, "passage": PASSAGE, "titled": TITLED}
        made = transaction.run(queries.get("retrieve/project_search"), graph=graph, name=name, own=own, **widths)
        self.is_projecting = False
        return made[0]["projection"] is not None


def forget(database: Database, graph: str) -> int:
    """Drop the projections of a graph and return how many there were. Raises GdsMissing where there can be none."""
    try:
        dropped = database.read(
            queries.get("retrieve/drop_search"), graph_prefix=_prefix(graph), prefix=_prefix(graph), age_s=0, others=0
        )
    except DatabaseError:
        database.gds_version()
        raise
    return len(dropped)


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


def _stands(database: Database, graph: str, name: str) -> bool:
    state = _state(database, graph)
    return bool(state["stands"]) and name == _prefix(graph) + (state["version"] or "")


def _state(reader: Reader, graph: str) -> Row:
    return reader.read(queries.get("retrieve/search_state"), graph=graph, prefix=_prefix(graph))[0]


def _check_memory(reader: Reader, graph: str, server: str) -> None:
    found = reader.read(queries.get("retrieve/estimate_search"), graph=graph)
    if found and found[0]["required_bytes"] > found[0]["available_bytes"]:
        required, available = (round(found[0][key] / 2**20) for key in ("required_bytes", "available_bytes"))
        raise NotEnoughMemory(
            f"following the links of graph {graph!r} takes {required:,} MiB of heap, {available:,} MiB are free at "
            f"{server}",
            hint="give the server a larger heap (KG_DB_HEAP_MB for the local one)",
        )


def _prefix(graph: str) -> str:
    return f"{SEARCH}{hash_id(graph)[:12]}/"
