"""Where nodes stand in a picture. Deterministic.

Each connected part is laid out by stress majorisation: points move until their distances on paper follow the number of
steps between them in the graph. Nodes are then pushed apart where they overlap, and the parts packed side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

_ROUNDS = 160
_TOLERANCE = 1e-4
_GAP = 0.7  # between the parts of a graph, in steps
_NAME = 1.5  # room for names to the right of a part
_SHAPE = 1.5  # of the paper: width by height


def lay_out(size: int, pairs: Sequence[tuple[int, int]], sizes: Points, seed: int = 42) -> Points:
    """Return an array of shape (size, 2).

    `pairs` are places of related nodes; loops and repeats are allowed. `sizes` are the nodes' radii, where one step
    of the graph is about 1. The same input gives the same points.
    """
    if size == 0:
        return np.zeros((0, 2))
    related = np.zeros((size, size), dtype=bool)
    for first, second in pairs:
        related[first, second] = related[second, first] = first != second
    parts = _components(related)
    laid = []
    for part in parts:
        points = _stress(related[np.ix_(part, part)], np.random.default_rng(seed))
        laid.append(_turn(_push_apart(points, sizes[part])))
    return _pack(size, parts, laid, sizes)


def _components(related: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Return the connected parts, the largest first, each in ascending order."""
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(related, directed=False)
    parts = [[int(node) for node in np.flatnonzero(labels == label)] for label in range(count)]
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _distances(related: npt.NDArray[np.bool_]) -> Points:
    """Return the steps between all nodes of a connected part; steps at a busy node are longer, to give it room."""
    from scipy.sparse.csgraph import shortest_path

    steps: Points = shortest_path(related, unweighted=True, directed=False)
    busy = np.sqrt(related.sum(axis=1))
    longer: Points = steps * (1 + 0.12 * (busy[:, None] + busy[None, :])) - 0.24 * (steps > 0)
    return longer


def _stress(related: npt.NDArray[np.bool_], random: np.random.Generator) -> Points:
    """Return the points of one part after majorisation with weights 1 / distance squared."""
    if len(related) == 1:
        return np.zeros((1, 2))
    wanted = _distances(related)
    weights = 1.0 / np.where(wanted > 0, wanted, np.inf) ** 2
    points = _spread(wanted, random)
    total = weights.sum(axis=1)
    for _ in range(_ROUNDS):
        difference = points[:, None, :] - points[None, :, :]
        length = np.maximum(np.sqrt((difference**2).sum(axis=2)), 1e-9)
        pull = weights * wanted / length
        moved = (weights @ points + (pull[:, :, None] * difference).sum(axis=1)) / total[:, None]
        change = np.abs(moved - points).max()
        points = moved
        if change < _TOLERANCE:
            break
    return points


def _spread(wanted: Points, random: np.random.Generator) -> Points:
    """Return a first guess: the two main directions of the distances, a little shaken so that twins come apart."""
    squared = wanted**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), range(vectors.shape[1])])
    points: Points = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9))
    shaken: Points = points + random.normal(scale=0.25, size=points.shape)
    return shaken


def _push_apart(points: Points, sizes: Points, rounds: int = 60) -> Points:
    """Move nodes that overlap away from each other, wider than high, because labels stand beside them."""
    if len(points) < 2:
        return points
    points = points.copy()
    reach = (sizes[:, None] + sizes[None, :]) * 1.15 + 0.12
    np.fill_diagonal(reach, 0)
    for _ in range(rounds):
        difference = points[:, None, :] - points[None, :, :]
        length = np.sqrt((difference**2).sum(axis=2))
        overlap = np.maximum(reach - length, 0)
        if overlap.max() < 1e-3:
            break
        direction = difference / np.maximum(length, 1e-6)[:, :, None]
        points += 0.4 * (overlap[:, :, None] * direction).sum(axis=1)
    return points


def _turn(points: Points) -> Points:
    """Turn a part so that its longest direction lies flat."""
    centred: Points = points - points.mean(axis=0)
    if len(points) < 3:
        return centred
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(2)])
    turned: Points = centred @ axes
    return turned


def _pack(size: int, parts: list[list[int]], laid: list[Points], sizes: Points) -> Points:
    """Set the parts side by side: the largest first, the others in rows below it."""
    points = np.zeros((size, 2))
    width = 0.0
    left = top = row_height = 0.0
    for index, (part, own) in enumerate(zip(parts, laid, strict=True)):
        margin = float(sizes[part].max())
        low = own.min(axis=0) - margin
        high = own.max(axis=0) + margin + np.array([_NAME, 0.0])
        extent = high - low
        if index == 0:
            width = max(float(extent[0]), float(extent[1]) * _SHAPE, np.sqrt(len(parts)) * 3.5)
            offset = np.array([(width - extent[0]) / 2, 0.0])
            points[part] = own - low + offset - np.array([0.0, extent[1]])
            top = -float(extent[1]) - _GAP
            continue
        if left and left + extent[0] > width:
            left, top, row_height = 0.0, top - row_height - _GAP, 0.0
        points[part] = own - low + np.array([left, top - extent[1]])
        left += float(extent[0]) + _GAP
        row_height = max(row_height, float(extent[1]))
    centred: Points = points - points.mean(axis=0)
    return centred
