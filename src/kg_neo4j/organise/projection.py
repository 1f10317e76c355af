"""Projects one graph into GDS so that the order of loading does not matter, and always drops the projection.

A native projection follows internal ids: the same graph loaded in another order would give other communities. Here
entities go by `num`, pairs are folded and sorted by it, one thread reads, and results come back by `num`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kg_neo4j import owners
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import communities
from kg_neo4j.organise.entity_pairs import EntityPairs

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience
    from graphdatascience.graph import Graph

PREFIX = "kg-neo4j/"
_NAME = re.compile(PREFIX + r"[0-9a-f]+/[0-9a-f]{8}/(.*:\d+:\d+\.\d+)", re.DOTALL)
OLDEST_GDS = (2, 13)  # the first that was tried; the client's calls are those of this line
STALE_S = 24 * 3600  # a projection of another machine is given up after a day
DAMPING = 0.85  # PageRank: Brin and Page's value, and the default of GDS
PAGERANK_ITERATIONS = 100  # converged to 1e-7; after the 20 that GDS makes by itself, 4 % of the rank is missing
EXACT_BETWEENNESS_NODES = 2_000  # beyond, betweenness is estimated: exact, 22,000 nodes take minutes
BETWEENNESS_SAMPLES = 256  # source nodes; 5 s on 22,000 nodes and 107,600 relationships


@dataclass(frozen=True, slots=True)
class EntityStructure:
    """How an entity hangs together with the others; parallel and opposite relationships count as one."""

    component: int  # entities with the same label are connected; the label's value means nothing
    core: int  # the largest k such that it is in a part where everybody has k neighbours
    triangles: int
    clustering: float  # share of the pairs of its neighbours that are related, 0 to 1
    articulation: bool  # without it its component would fall apart


class Projection:
    """A projected graph; every result is keyed by `Entity.num`. One thread, fixed seeds: results repeat."""

    def __init__(self, database: Database, gds: GraphDataScience, graph: Graph, nodes: int) -> None:
        self._database = database
        self._gds = gds
        self._graph = graph
        self._nodes = nodes
        self.name = graph.name()

    def leiden(self, seed: int) -> communities.Cells:
        """Return who shares communities on all levels, weighted. The projection has at least one pair."""
        rows = self._database.stream(queries.get("analytics/leiden"), name=self.name, seed=seed)
        return {
            tuple(labels): sorted(nums)
            for row in rows
            for labels, nums in zip(row["labels"], row["members"], strict=True)
        }

    def pagerank(self) -> dict[int, float]:
        """Return num -> weighted PageRank (not normalised: the mean is about 1).

        Call each of these once: what is found is kept in the projection and read from there.
        """
        return self._measured(
            self._gds.page_rank,
            "pagerank",
            relationship_weight_property="weight",
            damping_factor=DAMPING,
            max_iterations=PAGERANK_ITERATIONS,
        )

    def betweenness(self, seed: int) -> dict[int, float]:
        """Return num -> shortest paths through it, unweighted; estimated from a sample in a large graph."""
        sample = {"sampling_size": BETWEENNESS_SAMPLES, "sampling_seed": seed}
        given = {} if self._nodes <= EXACT_BETWEENNESS_NODES else sample
        return self._measured(self._gds.betweenness, "betweenness", **given)

    def structure(self) -> dict[int, EntityStructure]:
        """Return num -> component, core, triangles, clustering and whether it is an articulation point. Call it once.

        One round trip for all five: each takes less time than asking for it.
        """
        rows = self._database.stream(queries.get("analytics/structure"), name=self.name)
        return {num: EntityStructure(*values) for row in rows for num, *values in row["entities"]}

    def bridges(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs of nums whose relationships are all that holds two parts together, smaller num first."""
        rows = self._database.read(queries.get("analytics/bridges"), name=self.name)
        return tuple((row["s"], row["t"]) for row in rows)

    def _measured(self, procedures: Any, name: str, **given: Any) -> dict[int, float]:
        """Let GDS keep what it measures in the projection, and return num -> value."""
        procedures.mutate(self._graph, mutate_property=name, concurrency=1, **given)
        rows = self._database.stream(queries.get("analytics/projected_values"), name=self.name, property=name)
        return {num: value for row in rows for num, value in zip(row["nums"], row["values"], strict=True)}


@contextmanager
def project(database: Database, graph: str, pairs: EntityPairs) -> Iterator[Projection]:
    """Project the entities of `graph` that are in pairs for the time of a `with` block; dropped also on failure.

    Projections that killed runs left behind are dropped first. Raises GdsMissing, also where GDS is too old, or
    NotEnoughMemory before anything is projected. There is at least one pair.
    """
    from kg_neo4j.organise.gds_client import client

    check_version(database.gds_version())
    gds = client(database)
    sweep(database, gds)
    nodes = len(np.union1d(pairs.smaller, pairs.larger))  # and those that are related to themselves alone
    check_memory(database, nodes, pairs.count)
    name = _new_name(graph)
    sources, targets, weights = pairs.projected()
    try:
        made = gds.graph.project.cypher(
            queries.get("analytics/project").text, name=name, sources=sources, targets=targets, weights=weights
        )
        yield Projection(database, gds, made.graph, nodes)
    finally:
        gds.graph.drop(name, fail_if_missing=False)


def check_version(version: str) -> None:
    """Raise GdsMissing where GDS is older than what is needed."""
    if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < OLDEST_GDS:
        raise GdsMissing(
            f"the server has GDS {version}, which is too old",
            hint="install GDS 2.13 or newer, or pip install 'kg-neo4j[analytics]', or pass --no-analytics",
        )


def check_memory(database: Database, nodes: int, pairs: int) -> None:
    """Raise NotEnoughMemory, with both numbers, where GDS would need more heap than the server has left.

    `pairs` are related entities, whatever the types and directions; none with itself.
    """
    found = database.read(queries.get("analytics/estimate"), nodes=nodes, pairs=pairs)
    if found and found[0]["required_bytes"] > found[0]["available_bytes"]:
        required, available = (round(found[0][key] / 2**20) for key in ("required_bytes", "available_bytes"))
        raise NotEnoughMemory(
            f"analysing {nodes:,} nodes and {pairs:,} pairs takes {required:,} MiB of heap, "
            f"{available:,} MiB are free at {database.address.uri}",
            hint="give the server a larger heap (KG_DB_HEAP_MB for the local one), or pass --no-analytics",
        )


def sweep(database: Database, gds: GraphDataScience) -> int:
    """Drop projections of ours whose run is dead, and return how many. Others' projections are left alone."""
    found = database.read(queries.get("analytics/projections"), prefix=PREFIX)
    stale = [row["name"] for row in found if _is_stale(row["name"], row["age_s"])]
    if stale:
        gds.graph.drop(stale, fail_if_missing=False)
    return len(stale)


def _new_name(graph: str) -> str:
    """Return prefix / hash of the graph / nonce / the process that owns it."""
    return f"{PREFIX}{hash_id(graph)[:12]}/{secrets.token_hex(4)}/{owners.this_process()}"


def _is_stale(name: str, age_s: int) -> bool:
    if (found := _NAME.fullmatch(name)) is None:
        return False  # not a name that we make
    return owners.has_ended(found[1]) if owners.is_here(found[1]) else age_s > STALE_S
