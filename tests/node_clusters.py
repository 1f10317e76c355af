"""Vectors around topics, and what holds for all clusters of nodes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kg_neo4j.organise.tree.interface import Clusters

Vectors = npt.NDArray[np.float32]


def topics(topics: int, nodes: int, *, dimension: int = 32, noise: float = 0.1, seed: int = 1) -> Vectors:
    """Return unit vectors around so many centres, topic after topic."""
    random = np.random.default_rng(seed)
    centres = np.eye(dimension)[:topics]
    rows = np.repeat(centres, nodes, axis=0) + random.normal(0, noise, (topics * nodes, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def check(found: Clusters, count: int, tokens: list[int], most: int) -> None:
    assert {row for members in found.members for row in members} == set(range(count))
    assert len(set(found.members)) == len(found.members)
    assert list(found.members) == sorted(found.members)
    for members, probabilities in zip(found.members, found.probabilities, strict=True):
        assert members
        assert all(left < right for left, right in pairwise(members))
        assert len(members) == len(probabilities)
        assert all(0 < probability <= 1 for probability in probabilities)
        assert len(members) == 1 or sum(tokens[row] for row in members) <= most
