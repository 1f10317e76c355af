"""The positions of nodes in a picture: stress majorisation. Deterministic.

Points move until their distances on paper follow the number of steps between them in the graph. Nodes that overlap are
then pushed apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

_ROUNDS, _PUSHES = 160, 60  # fewer for many nodes: a round compares all with all
_WORK = 40_000_000  # pairs of nodes in all rounds
_TOLERANCE = 1e-4
_DIRECTIONS, _TURNS = 8, 40  # of the first guess: so many are followed, and so often they are turned
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
    distances = _steps(related)
    connected = np.isfinite(distances)
    distances[~connected] = max(3.0, _APART * distances[connected].max())
    busy = np.sqrt(related.sum(axis=1))  # steps at a busy node are longer, to give it room
    distances = distances * (1 + 0.12 * (busy[:, None] + busy[None, :])) - 0.24 * (distances > 0)
    weights = 1.0 / np.where(distances > 0, distances, np.inf) ** 2
    points = _spread(distances, np.random.default_rng(42))
    for _ in range(_most(_ROUNDS, size)):
        difference, length = _differences(points)
        pull = weights * distances / np.maximum(length, 1e-9)
        moved = (weights @ points + (pull[:, :, None] * difference).sum(axis=1)) / weights.sum(axis=1)[:, None]
        change = np.abs(moved - points).max()
        points = moved
        if change < _TOLERANCE:
            break
    return _push_apart(points, sizes)


def _steps(related: npt.NDArray[np.bool_]) -> Points:
    """Return the fewest relationships between all nodes, infinite where there is no path."""
    steps = np.full(related.shape, np.inf)
    neighbours = [np.flatnonzero(row).tolist() for row in related]
    for start in range(len(related)):
        found, queue = {start: 0}, [start]
        for node in queue:  # grows while it is read
            for other in neighbours[node]:
                if other not in found:
                    found[other] = found[node] + 1
                    queue.append(other)
        steps[start, list(found)] = list(found.values())
    return steps


def _spread(distances: Points, random: np.random.Generator) -> Points:
    """Return a first guess: the two main directions of the distances, a little shaken so that twins come apart."""
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    matrix, guess = -0.5 * centred, random.normal(size=(len(distances), min(len(distances), _DIRECTIONS)))
    for _ in range(_TURNS):
        guess, _ = np.linalg.qr(matrix @ guess)
    values, turned = np.linalg.eigh(guess.T @ matrix @ guess)
    values, vectors = values[-2:], guess @ turned[:, -2:]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), range(vectors.shape[1])])
    points: Points = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 1e-9))
    shaken: Points = points + random.normal(scale=0.25, size=points.shape)
    return shaken


def _push_apart(points: Points, sizes: Points) -> Points:
    reach = (sizes[:, None] + sizes[None, :]) * 1.15 + 0.12
    np.fill_diagonal(reach, 0)
    for _ in range(_most(_PUSHES, len(points))):
        difference, length = _differences(points)
        overlap = np.maximum(reach - length, 0)
        if overlap.max() < 1e-3:
            break
        points = points + 0.4 * ((overlap / np.maximum(length, 1e-6))[:, :, None] * difference).sum(axis=1)
    return points


def _most(rounds: int, size: int) -> int:
    """Return how many rounds many nodes have time for: all of them up to 500 nodes."""
    return min(rounds, max(10, _WORK // size**2))


def _differences(points: Points) -> tuple[Points, Points]:
    """Return the vectors from each point to each, of shape (size, size, 2), and their lengths."""
    difference = points[:, None, :] - points[None, :, :]
    return difference, np.sqrt((difference**2).sum(axis=2))
