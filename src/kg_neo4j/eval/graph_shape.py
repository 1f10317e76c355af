"""The shape of a graph in a few numbers: how many nodes and edges, how densely knit, in how many parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_neo4j.eval.context import component_sizes

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database

Pair = tuple[int, int, int]  # two entities, and how many rows say something of both


@dataclass(frozen=True, slots=True)
class GraphShape:
    """What a study compares. Pairs are related entities, whatever the types and directions; none with itself."""

    nodes: int
    relationships: int
    pairs: int
    density: float  # pairs out of all that there could be, 0 to 1
    components: int
    largest: float  # share of the nodes in the largest component, 0 to 1
    communities: int  # of the coarsest level, with two or more members
    modularity: float | None  # of the coarsest level, weighted; None without communities or pairs


def read_shape(database: Database, graph: str) -> GraphShape:
    """Return the shape of a graph that is loaded and analysed."""
    from kg_neo4j.graph import queries
    from kg_neo4j.organise.entity_pairs import read_pairs

    parts = database.read(queries.get("analytics/entities"), graph=graph)
    size = database.read(queries.get("write/count_graph"), graph=graph)[0]
    places = {num: values[0] if values else None for part in parts for num, *_, values in part["entities"]}
    return measure(places, read_pairs(database, graph).rows(), size["relationships"])


def measure(places: Mapping[int, int | None], pairs: Iterable[Pair], relationships: int) -> GraphShape:
    """Return the shape of entities with their community (None: not analysed) and of the pairs between them."""
    pairs = list(pairs)
    count = len(places)
    sizes = component_sizes(map(str, places), ((str(one), str(other)) for one, other, _ in pairs))
    members = Counter(place for place in places.values() if place is not None)
    return GraphShape(
        nodes=count,
        relationships=relationships,
        pairs=len(pairs),
        density=len(pairs) / (count * (count - 1) / 2) if count > 1 else 0.0,
        components=len(sizes),
        largest=max(sizes, default=0) / max(count, 1),
        communities=sum(size > 1 for size in members.values()),
        modularity=modularity(places, pairs),
    )


def modularity(places: Mapping[int, int | None], pairs: Iterable[Pair]) -> float | None:
    """Return Newman's modularity of a partition, -0.5 to 1; None where there are no pairs or nodes without a place."""
    inside: Counter[int] = Counter()
    ends: Counter[int] = Counter()
    total = 0
    for one, other, weight in pairs:
        first, second = places[one], places[other]
        if first is None or second is None:
            return None
        total += weight
        ends[first] += weight
        ends[second] += weight
        inside[first] += weight * (first == second)
    if not total:
        return None
    return sum(inside[place] / total - (ends[place] / (2 * total)) ** 2 for place in ends)
