"""Communities, centralities and structure: derived from the settled graph, written where they changed.

The result is a function of the entities, the relationships between them, the seed and the versions; a fingerprint of
these is stored, and where it is unchanged nothing is computed. All writes are one transaction, so a killed run leaves
the communities that were.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import ModuleType

from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise import communities
from kg_neo4j.organise.entity_pairs import EntityPairs, read_entities, read_pairs
from kg_neo4j.organise.projection import DAMPING, EntityStructure, check_version, project
from kg_neo4j.organise.stored_analytics import (
    Result,
    StoredCommunity,
    Values,
    differences,
    former_numbers,
    read_communities,
    write,
    write_parts,
)
from kg_neo4j.progress import SILENT, Progress

VERSION = 5  # of what is computed here; part of the fingerprint
DECIMALS = 6  # of PageRank, betweenness and clustering
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
    notes: tuple[str, ...] = ()  # this, or by what it was computed where that is not GDS


@dataclass(frozen=True, slots=True)
class SettledGraph:
    """The settled graph: what to compute from, and what an earlier run wrote."""

    ids: Mapping[int, str]  # num -> id of the entity, in the order of nums
    nodes: Mapping[int, int]  # num -> the server's own number of it
    stored: Mapping[int, Values]
    communities: Mapping[str, StoredCommunity]  # by id
    places: Mapping[int, str]  # num -> id of its finest community, for those who are in one
    pairs: EntityPairs
    fingerprint: str
    client: ModuleType | None = None  # what computes on this machine, where the server has no GDS

    @property
    def size(self) -> tuple[int, int]:
        """Entities and relationships."""
        return len(self.ids), int(self.pairs.relationships.sum())

    @property
    def is_placed(self) -> bool:
        """True where every entity carries all that analytics write; one without a community has no number of one."""
        return all(
            each and None not in each[1:] and (each[0] is None) == (num not in self.places)
            for num, each in self.stored.items()
        )


@dataclass(frozen=True, slots=True)
class _Measured:
    """What GDS says, or this machine without it, by num."""

    cells: communities.Cells
    pagerank: Mapping[int, float]
    betweenness: Mapping[int, float]
    structure: Mapping[int, EntityStructure]
    bridges: Iterable[tuple[int, int]] = ()


def refresh(
    database: Database,
    graph: str,
    progress: Progress = SILENT,
    *,
    seed: int = 42,
    lease: Lease | None = None,
    singletons: bool | None = None,
) -> AnalyticsReport:
    """Bring communities, centralities and structure of `graph` up to date; a repeat computes and writes nothing.

    Entities get `community` (number of their community of level 0), `pagerank`, `degree`, `betweenness`,
    `community_degree`, `component`, `core`, `triangles`, `clustering`, `articulation` and `bridges`, and belong to
    their finest community (docs/communities.md says what each means). A community of one entity is stored only with
    `singletons`; None: as before, at first not. Without GDS this machine computes; without packages for it, or memory,
    what is stored stays and the report says why. With a `lease`, the write proves it. DatabaseError: other faults.
    """
    progress.start(STAGE, 4)
    try:
        state = database.read(queries.get("analytics/graph_state"), graph=graph)
        if singletons is None:
            singletons = bool(state and state[0]["singletons"])
        found = read_graph(database, graph, _method(seed, singletons=singletons))
        progress.advance(STAGE)
        if found.ids and state and state[0]["fingerprint"] == found.fingerprint and found.is_placed:
            return AnalyticsReport(state[0]["communities"], state[0]["levels"], *found.size, changes=0)
        measured = _measure(database, graph, found, seed)
        progress.advance(STAGE)
        levels = communities.hierarchy(graph, measured.cells)
        shared = tuple(tuple(each for each in level if len(each.members) > 1) for level in levels)
        result = _result(levels if singletons else shared, found, measured)
        changes = differences(result, found.communities, found.stored, found.places)
        progress.advance(STAGE)
        communities_found = len(shared[0]) if shared else 0
        new_state = {
            "fingerprint": found.fingerprint,
            "communities": communities_found,
            "levels": len(levels),
            "singletons": singletons,
        }
        if found.ids or state or changes:
            tries = itertools.count()
            try:
                database.write_transaction(
                    lambda transaction: write(
                        transaction, graph, replace(changes, is_repeat=next(tries) > 0), found.nodes, new_state, lease
                    )
                )
            except NotEnoughMemory:
                if lease is None:
                    raise
                write_parts(lease, changes, found.nodes, new_state)
        progress.advance(STAGE)
        by = found.client and f"communities were computed on this machine, without GDS ({found.client.VERSIONS})"
        return AnalyticsReport(communities_found, len(levels), *found.size, len(changes), notes=(by,) if by else ())
    except (GdsMissing, NotEnoughMemory) as error:
        reason = f"no communities and centralities: {error}"
        progress.note(reason if error.hint is None else f"{reason} ({error.hint})")
        return AnalyticsReport(0, 0, 0, 0, 0, reason, (reason,))
    finally:
        progress.finish(STAGE)


def is_current(database: Database, graph: str, seed: int = 42) -> bool | None:
    """Say whether stored communities are up to date; None: none are stored. Without GDS and packages: False."""
    state = database.read(queries.get("analytics/graph_state"), graph=graph)
    if not state:
        return None
    method = _method(seed, singletons=state[0]["singletons"])
    with suppress(GdsMissing):
        return bool(state[0]["fingerprint"] == read_graph(database, graph, method).fingerprint)
    return False


def _method(seed: int, *, singletons: bool) -> str:
    """Return what stands for how communities are computed."""
    return f"{VERSION}/{seed}/singletons" if singletons else f"{VERSION}/{seed}"


def read_graph(database: Database, graph: str, method: str) -> SettledGraph:
    """Read entities, pairs and communities, and hash what the result depends on; `method` is how it is computed."""
    entities = read_entities(database, graph)
    nums = entities.nums.tolist()
    pairs = read_pairs(database, graph, entities)
    stored, places = read_communities(database, graph)
    digest = hashlib.sha256(method.encode())
    digest.update("".join(f";{num}" for num in nums).encode())
    digest.update(pairs.digest())
    computed_by, client = engine(database) if nums else ("", None)
    digest.update(computed_by.encode())
    return SettledGraph(
        ids=dict(zip(nums, entities.ids, strict=True)),
        nodes=dict(zip(nums, entities.nodes.tolist(), strict=True)),
        stored={num: tuple(values) for num, values in zip(nums, entities.values, strict=True)},
        communities=stored,
        places=places,
        pairs=pairs,
        fingerprint=digest.hexdigest()[:32],
        client=client,
    )


def engine(database: Database) -> tuple[str, ModuleType | None]:
    """Return the version of what computes, and this machine's module where the server has no GDS; else GdsMissing."""
    try:
        check_version(version := database.gds_version())
    except GdsMissing:
        if not find_spec("graspologic_native") or not find_spec("networkx"):
            raise
        from kg_neo4j.organise import client_analytics

        return f"not installed; {client_analytics.VERSIONS} compute on this machine", client_analytics
    return version, None


def _measure(database: Database, graph: str, found: SettledGraph, seed: int) -> _Measured:
    """Measure the entities that are related to others; the rest is not projected, and each is a part of its own."""
    made = _Measured({}, {}, {}, {})
    if found.pairs.count:
        here = nullcontext(found.client.ClientProjection(found.pairs)) if found.client else None
        with here or project(database, graph, found.pairs) as gds:
            made = _Measured(gds.leiden(seed), gds.pagerank(), gds.betweenness(seed), gds.structure(), gds.bridges())
    alone = [num for num in found.ids if num not in made.structure]
    levels = max(map(len, made.cells), default=1)
    return _Measured(
        {**made.cells, **{(-1 - num,) * levels: [num] for num in alone}},  # no label of GDS is negative
        {**made.pagerank, **dict.fromkeys(alone, 1 - DAMPING)},
        {**made.betweenness, **dict.fromkeys(alone, 0.0)},
        {**made.structure, **{num: EntityStructure(-1 - num, 0, 0, 0.0, articulation=False) for num in alone}},
        made.bridges,
    )


def _result(levels: tuple[communities.Level, ...], found: SettledGraph, measured: _Measured) -> Result:
    """Put together what each entity carries, in the order of write_entities.cypher."""
    numbers = communities.numbers(levels, former_numbers(found.communities, found.places))
    coarsest = zip(numbers[0], levels[0], strict=True) if levels else ()
    groups = {num: number for number, each in coarsest for num in each.members}
    degrees, within = found.pairs.degrees(), found.pairs.degrees(groups)
    components = _components(measured.structure)
    across: dict[int, list[str]] = {}
    for one, other in measured.bridges:
        across.setdefault(one, []).append(found.ids[other])
        across.setdefault(other, []).append(found.ids[one])
    values = {
        num: (
            groups.get(num),
            round(measured.pagerank[num], DECIMALS),
            degrees.get(num, 0),
            round(measured.betweenness[num], DECIMALS),
            within.get(num, 0),
            components[structure.component],
            structure.core,
            structure.triangles,
            round(structure.clustering, DECIMALS),
            structure.articulation,
            sorted(across.get(num, ())),
        )
        for num, structure in sorted(measured.structure.items())
    }
    return Result(levels, numbers, values)


def _components(structure: Mapping[int, EntityStructure]) -> dict[int, int]:
    """Return label -> number of a component, from 1: larger ones first, then by smallest member."""
    members: dict[int, list[int]] = {}
    for num, each in structure.items():
        members.setdefault(each.component, []).append(num)
    ordered = sorted(members, key=lambda label: (-len(members[label]), min(members[label])))
    return {label: number for number, label in enumerate(ordered, 1)}
