"""Communities and figures of a graph, computed on this machine where the server has no GDS (extra `analytics`).

The figures mean what those of GDS mean, and repeat: pairs are sorted, the seed is fixed, one thread counts. Only the
levels are made otherwise: Leiden's communities are divided by Leiden again until they are small.
"""

from __future__ import annotations

import random
from importlib.metadata import version

import graspologic_native
import networkx as nx
import numpy as np
import numpy.typing as npt

from kg_neo4j.errors import NotEnoughMemory
from kg_neo4j.organise import communities, projection
from kg_neo4j.organise.entity_pairs import EntityPairs
from kg_neo4j.organise.projection import DAMPING, EntityStructure

VERSIONS = ", ".join(f"{name} {version(name)}" for name in ("graspologic-native", "networkx"))
LEIDEN = {"resolution": 1.0, "randomness": 0.001, "iterations": 1, "use_modularity": True}  # as in GraphRAG
LARGEST = 10  # entities of a community that is not divided, likewise
TOLERANCE = 1e-7  # of PageRank, as in GDS
MOST_PAIRS = 1_000_000


class ClientProjection:
    """Pairs in memory, with the methods of `projection.Projection`. There is at least one pair of two entities."""

    def __init__(self, pairs: EntityPairs) -> None:
        """Raise NotEnoughMemory for more than MOST_PAIRS."""
        if pairs.count > MOST_PAIRS:
            raise NotEnoughMemory(f"{pairs.count:,} pairs; without GDS at most {MOST_PAIRS:,} are analysed")
        sources, targets, self._weights = pairs.projected()
        self._pairs = list(zip(sources, targets, strict=True))
        self._nums, places = np.unique([sources, targets], return_inverse=True)
        one, other = places.reshape(2, -1)
        self._from, self._to = np.concatenate((one, other)), np.concatenate((other, one))  # both ways
        self._graph = nx.Graph(self._pairs)

    def leiden(self, seed: int) -> communities.Cells:
        """Return who shares communities on all levels, weighted."""
        edges = [(str(one), str(other), w) for (one, other), w in zip(self._pairs, self._weights, strict=True)]
        given = {"starting_communities": None, "max_cluster_size": LARGEST, "seed": seed, **LEIDEN}
        labels: dict[int, list[int]] = {}  # coarsest level first
        for each in sorted(graspologic_native.hierarchical_leiden(edges, **given), key=lambda each: each.level):
            labels.setdefault(int(each.node), []).append(each.cluster)
        levels = max(map(len, labels.values()))
        cells: dict[tuple[int, ...], list[int]] = {}
        for num, known in sorted(labels.items()):  # what was not divided stays itself
            cells.setdefault((known[-1],) * (levels - len(known)) + tuple(reversed(known)), []).append(num)
        return cells

    def pagerank(self) -> dict[int, float]:
        """Return num -> weighted PageRank (not normalised: the mean is about 1)."""
        count, weights = len(self._nums), np.tile(self._weights, 2)
        shares = weights / np.bincount(self._from, weights, count)[self._from]
        ranks, former = np.full(count, 1 - DAMPING), np.zeros(count)
        for _ in range(projection.PAGERANK_ITERATIONS):
            if np.abs(ranks - former).max() < TOLERANCE:
                break
            former, ranks = ranks, 1 - DAMPING + DAMPING * np.bincount(self._to, ranks[self._from] * shares, count)
        return dict(zip(self._nums.tolist(), ranks.tolist(), strict=True))

    def betweenness(self, seed: int) -> dict[int, float]:
        """Return num -> shortest paths through it (Brandes 2001), unweighted; of a sample in a large graph, as GDS."""
        count = len(self._nums)
        begins, passed, large = range(count), np.zeros(count), count > projection.EXACT_BETWEENNESS_NODES
        for begin in random.Random(seed).sample(begins, projection.BETWEENNESS_SAMPLES) if large else begins:
            depths, paths, shares = np.full(count, -1), np.zeros(count), np.zeros(count)
            depths[begin], paths[begin] = 0, 1
            levels: list[npt.NDArray[np.int64]] = []
            while len(ways := np.flatnonzero((depths[self._from] == len(levels)) & (depths[self._to] < 0))):
                levels.append(ways)
                depths[self._to[ways]] = len(levels)
                paths += np.bincount(self._to[ways], paths[self._from[ways]], count)
            for ways in reversed(levels):
                near, far = self._from[ways], self._to[ways]
                shares += np.bincount(near, paths[near] / paths[far] * (1 + shares[far]), count)
            shares[begin] = 0
            passed += shares / 2  # each path is found from both ends
        return dict(zip(self._nums.tolist(), passed.tolist(), strict=True))

    def structure(self) -> dict[int, EntityStructure]:
        """Return num -> component, core, triangles, clustering and whether it is an articulation point."""
        graph, cuts = self._graph, set(nx.articulation_points(self._graph))
        labels = {num: label for label, each in enumerate(nx.connected_components(graph)) for num in each}
        core, triangles, clustering = nx.core_number(graph), nx.triangles(graph), nx.clustering(graph)
        return {n: EntityStructure(labels[n], core[n], triangles[n], float(clustering[n]), n in cuts) for n in graph}

    def bridges(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs of nums whose relationships are all that holds two parts together, smaller num first."""
        return tuple(sorted((min(pair), max(pair)) for pair in nx.bridges(self._graph)))
