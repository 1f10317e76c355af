"""Communities, PageRank, degree and betweenness: derived from the settled graph, written where they changed.

The result is a function of the entities, the relationships between them, the seed and the versions; a fingerprint of
these is stored, and where it is unchanged nothing is computed. All writes are one transaction, so a killed run leaves
the communities that were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction, batches
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise import communities
from kg_neo4j.organise.projection import DAMPING, GraphSize, Projection, project
from kg_neo4j.progress import SILENT, Progress

VERSION = 1  # of what is computed here; part of the fingerprint
BATCH = 10_000  # rows a statement
DECIMALS = 6  # of PageRank and betweenness
STAGE = "analytics"


@dataclass(frozen=True, slots=True)
class AnalyticsReport:
    """What `refresh` found and did."""

    communities: int  # of level 0, the coarsest, with two or more members
    levels: int
    nodes: int
    relationships: int
    changes: int  # entities and communities written or deleted; 0 on a repeat
    skipped: str | None = None  # why nothing was computed


@dataclass(slots=True)
class _Found:
    """The settled graph: what to compute from, and what an earlier run wrote."""

    stored: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # num -> as cypher/analytics/entities says
    degrees: dict[int, int] = field(default_factory=dict)  # relationships in either direction, parallel ones counted
    relationships: int = 0
    pairs: int = 0
    heaviest: int = 1
    fingerprint: str = ""

    def add(self, source: int, target: int, relationships: int, instances: int) -> None:
        """Count a pair; a relationship of an entity to itself counts once, and is no pair."""
        self.relationships += relationships
        for num in {source, target}:
            self.degrees[num] = self.degrees.get(num, 0) + relationships
        if source != target:
            self.pairs += 1
            self.heaviest = max(self.heaviest, instances)

    @property
    def placed(self) -> bool:
        """True where every entity carries all that analytics write."""
        return all(None not in values for values in self.stored.values())


@dataclass(slots=True)
class _Changes:
    """What differs from what is stored."""

    entities: list[list[Any]]
    places: list[list[Any]]
    communities: list[list[Any]]
    parents: list[list[Any]]
    gone: list[str]

    def __len__(self) -> int:
        entities = {row[0] for row in self.entities} | {row[0] for row in self.places}
        altered = {row[0] for row in self.communities} | {row[0] for row in self.parents}
        return len(entities) + len(altered) + len(self.gone)


def refresh(
    database: Database, graph: str, progress: Progress = SILENT, *, seed: int = 42, lease: Lease | None = None
) -> AnalyticsReport:
    """Bring communities and centralities of `graph` up to date; a repeat computes and writes nothing.

    Entities get `community` (number of their community of level 0), `pagerank`, `degree` and `betweenness`, and belong
    to a community of the finest level. Where GDS is missing or the heap too small, what is stored stays and the report
    says why. With a `lease`, the write proves it. Other faults of the database raise DatabaseError.
    """
    progress.start(STAGE, 4)
    try:
        return _refresh(database, graph, lambda: progress.advance(STAGE), seed, lease)
    except (GdsMissing, NotEnoughMemory) as error:
        reason = f"no communities and centralities: {error}"
        progress.note(reason if error.hint is None else f"{reason} ({error.hint})")
        return AnalyticsReport(0, 0, 0, 0, 0, skipped=reason)
    finally:
        progress.finish(STAGE)


def _refresh(
    database: Database, graph: str, step: Callable[[], None], seed: int, lease: Lease | None
) -> AnalyticsReport:
    found = _read(database, graph, f"{VERSION}/{seed}")
    step()
    state = database.read(queries.get("analytics/graph_state"), graph=graph)
    size = (len(found.stored), found.relationships)
    if found.stored and state and state[0]["fingerprint"] == found.fingerprint and found.placed:
        return AnalyticsReport(state[0]["communities"], state[0]["levels"], *size, changes=0)
    levels, values = _compute(database, graph, found, seed)
    step()
    stored = database.read(queries.get("analytics/stored_communities"), graph=graph)
    changes = _differences(found, levels, values, stored)
    step()
    communities_found = sum(len(each.members) > 1 for each in levels[0]) if levels else 0
    result = {"fingerprint": found.fingerprint, "communities": communities_found, "levels": len(levels)}
    if found.stored or state or changes:
        database.write_transaction(lambda transaction: _write(transaction, graph, changes, result, lease))
    step()
    return AnalyticsReport(communities_found, len(levels), *size, changes=len(changes))


def _read(database: Database, graph: str, method: str) -> _Found:
    """Read entities and pairs in sorted order and hash what the result depends on."""
    found = _Found()
    digest = hashlib.sha256(method.encode())
    for row in database.stream(queries.get("analytics/entities"), graph=graph):
        found.stored[row["num"]] = tuple(row.values())[1:]
        digest.update(b"%d;" % row["num"])
    digest.update(b"|")
    for row in database.stream(queries.get("analytics/pairs"), graph=graph):
        digest.update(f"{row['s']}:{row['partners']};".encode())
        for partner, relationships, instances in row["partners"]:
            found.add(row["s"], partner, relationships, instances)
    if found.stored:
        digest.update(database.gds_version().encode())
    found.fingerprint = digest.hexdigest()[:32]
    return found


def _compute(
    database: Database, graph: str, found: _Found, seed: int
) -> tuple[tuple[communities.Level, ...], dict[int, tuple[Any, ...]]]:
    """Return the levels of communities, and num -> (community, pagerank, degree, betweenness)."""
    labels = communities.alone(found.stored)
    pagerank = dict.fromkeys(found.stored, 1 - DAMPING)
    betweenness = dict.fromkeys(found.stored, 0.0)
    if found.pairs:  # GDS's Leiden fails on a graph without relationships
        with project(database, graph, GraphSize(len(found.stored), found.pairs, found.heaviest)) as projection:
            labels, pagerank, betweenness = _run(projection, seed)
    levels = communities.hierarchy(graph, labels)
    numbers = {num: number for number, each in enumerate(levels[0], 1) for num in each.members} if levels else {}
    values = {
        num: (
            numbers[num],
            round(pagerank[num], DECIMALS),
            found.degrees.get(num, 0),
            round(betweenness[num], DECIMALS),
        )
        for num in found.stored
    }
    return levels, values


def _run(projection: Projection, seed: int) -> tuple[dict[int, tuple[int, ...]], dict[int, float], dict[int, float]]:
    return projection.leiden(seed), projection.pagerank(), projection.betweenness(seed)


def _differences(
    found: _Found,
    levels: Sequence[communities.Level],
    values: Mapping[int, tuple[Any, ...]],
    stored: Sequence[Mapping[str, Any]],
) -> _Changes:
    """Compare the new set with what is stored."""
    old = {row["id"]: (row["number"], row["parent_id"]) for row in stored}
    numbered = [(number, each) for level in levels for number, each in enumerate(level, 1)]
    current = {each.id for _, each in numbered}
    finest = levels[-1] if levels else ()
    places = {num: each.id for each in finest for num in each.members}
    return _Changes(
        entities=[[num, *new] for num, new in values.items() if found.stored[num][:-1] != new],
        places=[[num, place] for num, place in sorted(places.items()) if found.stored[num][-1] != place],
        communities=[
            [each.id, each.level, number, len(each.members)]
            for number, each in numbered
            if each.id not in old or old[each.id][0] != number
        ],
        parents=[
            [each.id, each.parent_id]
            for _, each in numbered
            if each.parent_id and (each.id not in old or old[each.id][1] != each.parent_id)
        ],
        gone=sorted(set(old) - current),
    )


def _write(
    transaction: Transaction, graph: str, changes: _Changes, result: Mapping[str, Any], lease: Lease | None
) -> None:
    """Write the new set, then take the old one away, then say which it is: all or nothing."""
    if lease:
        lease.prove(transaction)
    steps = (
        ("write_communities", changes.communities),
        ("link_communities", changes.parents),
        ("place_entities", changes.places),
        ("write_entities", changes.entities),
    )
    for name, rows in steps:
        for some in batches(rows, BATCH):
            transaction.run(queries.get(f"analytics/{name}"), graph=graph, rows=some)
    for ids in batches(changes.gone, BATCH):
        transaction.run(queries.get("analytics/delete_communities"), graph=graph, ids=ids)
    if result["levels"]:
        transaction.run(queries.get("analytics/write_graph_state"), graph=graph, **result)
    else:
        transaction.run(queries.get("analytics/delete_graph_state"), graph=graph)
