"""The entities, and which are related, read once for everything that is computed from it: folded, sorted, in arrays.

The order is that of `Entity.num`, so it does not depend on the order of loading. Folding and sorting here takes a
tenth of what the server needs for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EntityPairs:
    """Related entities, ordered by the smaller num, then the larger. Arrays of one length, 64-bit integers.

    An entity that is related to itself is an entry, too, with the same num twice, but counts as no pair.
    """

    smaller: Integers
    larger: Integers
    relationships: Integers  # whatever their types and directions
    instances: Integers  # rows of evidence of these

    @property
    def count(self) -> int:
        """Pairs of two entities."""
        return int(np.count_nonzero(self.smaller != self.larger))

    def projected(self) -> tuple[list[int], list[int], list[float]]:
        """Return both ends and the weight of each pair.

        The weight is the share of the rows of evidence that the heaviest pair has, and less than 1e-9 of itself more.
        GDS breaks ties between equally good communities differently in each run, whatever the seed. This leaves next to
        none.
        """
        apart = self.smaller != self.larger
        smaller, larger, instances = self.smaller[apart], self.larger[apart], self.instances[apart]
        weights = instances / max(1, int(instances.max(initial=1))) * (1 + 2.0**-30 * _fractions(smaller, larger))
        return smaller.tolist(), larger.tolist(), weights.tolist()

    def degrees(self, groups: Mapping[int, int] | None = None) -> dict[int, int]:
        """Return num -> relationships in either direction; one with itself counts once. None: the num is left out.

        With `groups` (num -> group) only relationships within a group count; a num that is in none is its own group.
        """
        chosen = np.ones(len(self.smaller), bool)
        if groups is not None:
            ends_of = (self.smaller, self.larger)
            labels = [np.array([groups.get(num, -1 - num) for num in ends.tolist()]) for ends in ends_of]
            chosen = labels[0] == labels[1]
        twice = chosen & (self.smaller != self.larger)
        ends, places = np.unique(np.concatenate((self.smaller[chosen], self.larger[twice])), return_inverse=True)
        counts = np.concatenate((self.relationships[chosen], self.relationships[twice]))
        found = np.bincount(places, counts, len(ends)).astype(np.int64)
        return dict(zip(ends.tolist(), found.tolist(), strict=True))

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Yield both nums and the rows of evidence of each pair of two entities."""
        for one, other, instances in zip(
            self.smaller.tolist(), self.larger.tolist(), self.instances.tolist(), strict=True
        ):
            if one != other:
                yield one, other, instances

    def digest(self) -> bytes:
        """Return bytes that stand for all entries, the same on every platform."""
        parts = (self.smaller, self.larger, self.relationships, self.instances)
        return b"|".join(each.astype("<i8").tobytes() for each in parts)


def _fractions(smaller: Integers, larger: Integers) -> npt.NDArray[np.float64]:
    """Return a number of at least 0 and less than 1 for each pair, always the same, as if drawn at random.

    The mixing is that of SplitMix64 (Steele, Lea and Flood, 2014).
    """
    mixed = smaller.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + larger.astype(np.uint64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of a graph, ascending by num: columns of one length."""

    nums: Integers
    nodes: Integers  # the server's own numbers: quick to ask for, and of use within one run alone
    ids: Sequence[str]
    values: Sequence[Sequence[Any]]  # what analytics wrote, as cypher/analytics/entities.cypher has them; may be empty

    def nums_of(self, nodes: Integers) -> Integers:
        """Return the num of each of `nodes`; -1 for one that is none of these entities."""
        if not len(self.nodes):
            return np.full(len(nodes), -1)
        order = np.argsort(self.nodes)
        places = order[np.minimum(np.searchsorted(self.nodes, nodes, sorter=order), len(order) - 1)]
        return np.where(self.nodes[places] == nodes, self.nums[places], -1)


def read_entities(database: Database, graph: str) -> Entities:
    """Return the entities of a graph."""
    parts = list(database.stream(queries.get("analytics/entities"), graph=graph))
    nums, nodes = (np.array([each for part in parts for each in part[name]], np.int64) for name in ("nums", "nodes"))
    order = np.argsort(nums)
    ids, values = ([each for part in parts for each in part[name]] for name in ("ids", "values"))
    places = order.tolist()
    return Entities(nums[order], nodes[order], [ids[each] for each in places], [values[each] for each in places])


def read_pairs(database: Database, graph: str, entities: Entities) -> EntityPairs:
    """Return which of the entities of a graph are related."""
    columns: tuple[list[Integers], list[Integers], list[Integers]] = ([], [], [])
    for row in database.stream(queries.get("analytics/pairs"), graph=graph):
        for column, name in zip(columns, ("sources", "targets", "instances"), strict=True):
            column.append(np.array(row[name], np.int64))
    empty = np.zeros(0, np.int64)
    sources, targets, instances = (np.concatenate((empty, *column)) for column in columns)
    sources, targets = entities.nums_of(sources), entities.nums_of(targets)
    known = (sources >= 0) & (targets >= 0)
    return fold(sources[known], targets[known], instances[known])


def fold(sources: Integers, targets: Integers, instances: Integers) -> EntityPairs:
    """Fold relationships, one at each place of three arrays of one length, into pairs."""
    smaller, larger = np.minimum(sources, targets), np.maximum(sources, targets)
    order = np.lexsort((larger, smaller))
    smaller, larger, instances = smaller[order], larger[order], instances[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (smaller[1:] != smaller[:-1]) | (larger[1:] != larger[:-1])
    first = np.flatnonzero(is_first)
    relationships = np.diff(first, append=len(order)).astype(np.int64)
    folded = np.add.reduceat(instances, first) if len(first) else instances
    return EntityPairs(smaller[first], larger[first], relationships, folded)
