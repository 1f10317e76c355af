"""Run a query with the filters applied on the server, so that no ids of what they leave travel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader, Row, batches
from kg_neo4j.graph.queries import Query
from kg_neo4j.retrieve.interface import Scope

AT_A_TIME = 1_000  # ids that are tested by one query
MOST = 100_000  # chunks that filters may leave for a query that a model writes: it is held to their ids


def held(scope: Scope | None, name: str) -> Query:
    """Return the query `name`, held to what `scope` leaves; `Scope.values` are parameters of it, too."""
    return queries.get(name).held_to(scope.conditions if scope else ())


def read_left(reader: Reader, scope: Scope | None, name: str, inside: Any = None, /, **params: Any) -> list[Row]:
    """Return the rows of the query `name`, held to what `scope` leaves, `inside` as `Query.searching` takes it."""
    return reader.read(held(scope, name).searching(inside or {}), **(scope.values if scope else {}), **params)


def left_of(reader: Reader, scope: Scope, ids: Iterable[str]) -> frozenset[str]:
    """Return those of `ids`, of chunks, entities and facts, that `scope` leaves. A query for each 1,000 of them."""
    parts = batches(sorted(set(ids)), AT_A_TIME)
    return frozenset(row["id"] for some in parts for row in read_left(reader, scope, "retrieve/left_of", ids=some))


def best_left(reader: Reader, scope: Scope | None, ranked: Sequence[str], most: int) -> list[str]:
    """Return the first `most` of `ranked` (ids) that `scope` leaves."""
    if scope is None:
        return list(ranked[:most])
    best: list[str] = []
    for some in batches(ranked, AT_A_TIME):
        kept = left_of(reader, scope, some)
        best += [each for each in some if each in kept]
        if len(best) >= most:
            break
    return best[:most]


@dataclass(frozen=True, slots=True)
class IdsLeft:
    """All that filters leave, as ids: for queries that are not ours, which a model wrote."""

    chunks: tuple[str, ...]
    entities: tuple[str, ...]
    facts: tuple[str, ...]
    documents: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The ids of all kinds."""
        return (*self.entities, *self.chunks, *self.facts, *self.documents)


def all_left(reader: Reader, graph: str, scope: Scope) -> IdsLeft:
    """Return the ids of all that `scope` leaves; UsageError for more than `MOST` chunks."""
    row = read_left(reader, scope, "retrieve/all_left", graph=graph, most=MOST + 1)[0]
    if len(row["chunks"]) > MOST:
        raise UsageError(
            f"the filters select more than {MOST:,} chunks of graph {graph!r}, too many for a query of a model",
            hint="filter for less, or ask in the mode local",
        )
    return IdsLeft(*(tuple(row[kind]) for kind in ("chunks", "entities", "facts", "documents")))
