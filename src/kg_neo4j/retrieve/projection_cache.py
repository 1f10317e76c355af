"""Projections that a search walks over. Nothing in one depends on a question, so it is kept until the graph changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import DatabaseError, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction
from kg_neo4j.organise.projection import PREFIX

SEARCH = PREFIX + "search/"
FORMER_S = 30  # for which the projection of a former version stays: somebody may be walking over it
TRIES = 5
OTHERS = 3  # other projections that stay in memory

T = TypeVar("T")


@dataclass(slots=True)
class KeptProjection(Generic[T]):
    """A projection of one graph, and a walk over it. Its name has the version of the graph."""

    database: Database
    graph: str
    kind: str  # projections of one graph that differ stand side by side
    make: Callable[[Transaction, str], bool]  # under a name; False: there is nothing to walk over
    step: Callable[[Reader, str], T]  # over the one of a name
    tree: str | None = None  # name of the trees that it has nodes of
    instead: Callable[[Transaction], T | None] | None = None  # a walk that needs no projection; None: it has to be one
    _own: str = ""  # how its names begin
    _name: str = ""  # from where its state is known
    _is_projecting: bool | None = False  # None: it drops others, which another run may do at the same time

    def walk(self) -> T | None:
        """Return what the walk finds; None where there is nothing to walk over.

        Raises GdsMissing where the server has no GDS, NotEnoughMemory where the graph does not fit beside what is
        there, DatabaseError where the graph changes all the time.
        """
        self._own = f"{prefix(self.graph)}{self.kind}/"
        for _ in range(TRIES):
            try:
                return self.database.read_transaction(self._attempt)
            except DatabaseError:
                if not self._name:
                    self.database.gds_version()  # says so where GDS is what is missing
                    raise
                state = self._state(self.database)
                stands = bool(state["stands"]) and self._name == self._own + (state["version"] or "")
                if self._is_projecting is not None and stands != self._is_projecting:
                    raise  # else another run has made what we projected, or dropped what we walked over
        raise DatabaseError(
            f"graph {self.graph!r} changes faster than it can be read",
            hint="ask again when it is loaded, or use --mode naive",
        )

    def _attempt(self, transaction: Transaction) -> T | None:
        """Make the projection where it is not there, and walk over it: one transaction."""
        self._name, self._is_projecting = "", False
        if self.instead is not None and (found := self.instead(transaction)) is not None:
            return found
        state = self._state(transaction)
        name = self._own + (state["version"] or "")
        if state["stands"]:
            self._name = name
        elif not self._project(transaction, name):
            return None
        return self.step(transaction, name)

    def _project(self, transaction: Transaction, name: str) -> bool:
        found = transaction.read(queries.get("retrieve/estimate_search"), graph=self.graph, tree=self.tree)
        if found and found[0]["required_bytes"] > found[0]["available_bytes"]:
            required, available = (round(found[0][key] / 2**20) for key in ("required_bytes", "available_bytes"))
            raise NotEnoughMemory(
                f"following the links of graph {self.graph!r} takes {required:,} MiB of heap, {available:,} MiB are "
                f"free at {self.database.address.shown}",
                hint="give the server a larger heap (KG_DB_HEAP_MB for the local one)",
            )
        self._name, self._is_projecting = name, None
        drop = queries.get("retrieve/drop_search")
        transaction.run(drop, graph_prefix=self._own, prefix=SEARCH, age_s=FORMER_S, others=OTHERS)
        self._is_projecting = True
        made, self._is_projecting = self.make(transaction, name), False
        return made

    def _state(self, reader: Reader) -> Row:
        return reader.read(queries.get("retrieve/search_state"), graph=self.graph, prefix=self._own)[0]


def forget(database: Database, graph: str) -> int:
    """Drop the projections of a graph and return how many there were. Raises GdsMissing where there can be none."""
    try:
        dropped = database.read(
            queries.get("retrieve/drop_search"), graph_prefix=prefix(graph), prefix=prefix(graph), age_s=0, others=0
        )
    except DatabaseError:
        database.gds_version()
        raise
    return len(dropped)


def prefix(graph: str) -> str:
    """Return how the names of all projections of a graph begin."""
    return f"{SEARCH}{hash_id(graph)[:12]}/"
