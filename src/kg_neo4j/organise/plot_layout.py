"""Where nodes stand in a picture: stress majorisation. Deterministic.

Points move until their distances on paper follow the number of steps between them in the graph. Nodes that overlap are
then pushed apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

_ROUNDS, _PUSHES = 160, 60
_TOLERANCE = 1e-4
_APART = 0.8  # distance of unconnected nodes, as a share of the longest path


def lay_out(size: int, pairs: Sequence[tuple[int, int]], sizes: Points) -> Points:
    """Return an array of shape (size, 2), wider than high.

    `pairs` are places of related nodes; loops and repeats are allowed. `sizes` are the nodes' radii, where one step
    of the graph is about 1. The same input gives the same points.
    """
    if size < 2:
        return np.zeros((size, 2))
    related = np.zeros((size, size), dtype=bool)
    for first, second in pairs:
        related[first, second] = related[second, first] = first != second
    distances = _distances(related)
    weights = 1.0 / np.where(distances > 0, distances, np.inf) ** 2
    points = _spread(distances, np.random.default_rng(42))
    for _ in range(_ROUNDS):
        difference, length = _differences(points)
        pull = weights * distances / np.maximum(length, 1e-9)
        moved = (weights @ points + (pull[:, :, None] * difference).sum(axis=1)) / weights.sum(axis=1)[:, None]
        change = np.abs(moved - points).max()
        points = moved
        if change < _TOLERANCE:
            break
    return _push_apart(points, sizes)


def _distances(related: npt.NDArray[np.bool_]) -> Points:
    """Return the steps between all nodes; steps at a busy node are longer, to give it room."""
    from scipy.sparse.csgraph import shortest_path

    steps: Points = shortest_path(related, unweighted=True, directed=False)
    connected = np.isfinite(steps)
    steps[~connected] = max(3.0, _APART * steps[connected].max())
    busy = np.sqrt(related.sum(axis=1))
    longer: Points = steps * (1 + 0.12 * (busy[:, None] + busy[None, :])) - 0.24 * (steps > 0)
    return longer


def _spread(distances: Points, random: np.random.Generator) -> Points:
    """Return a first guess: the two main directions of the distances, a little shaken so that twins come apart."""
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), range(vectors.shape[1])])
    points: Points = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 1e-9))
    shaken: Points = points + random.normal(scale=0.25, size=points.shape)
    return shaken


def _push_apart(points: Points, sizes: Points) -> Points:
    """Move nodes that overlap away from each other."""
    reach = (sizes[:, None] + sizes[None, :]) * 1.15 + 0.12
    np.fill_diagonal(reach, 0)
    for _ in range(_PUSHES):
        difference, length = _differences(points)
        overlap = np.maximum(reach - length, 0)
        if overlap.max() < 1e-3:
            break
        points = points + 0.4 * ((overlap / np.maximum(length, 1e-6))[:, :, None] * difference).sum(axis=1)
    return points


def _differences(points: Points) -> tuple[Points, Points]:
    """Return the vectors from each point to each, of shape (size, size, 2), and their lengths."""
    difference = points[:, None, :] - points[None, :, :]
    return difference, np.sqrt((difference**2).sum(axis=2))
