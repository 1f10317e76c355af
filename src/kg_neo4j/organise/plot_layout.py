"""The positions of nodes in a picture: each community has a place of its own, and no two nodes or names meet.

Distances on paper follow the number of steps in the graph (stress majorisation); boxes that overlap are pushed apart.
Nodes are laid out within each place, then places likewise. All of it is deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

_ROUNDS, _PUSHES = 160, 200  # fewer for many nodes: a round compares all with all
_WORK = 40_000_000  # pairs of nodes in all rounds
_TOLERANCE = 1e-4
_APART = 0.8  # distance of unconnected nodes, as a share of the longest path
_UNDIVIDED = 16  # nodes that are one place without stored communities
_HUB = 10  # relationships of a node that stands apart
_SHAPE, _GAP = 1.4, 0.25  # width of the paper by its height; space around a place


def arrange(pairs: Sequence[tuple[int, int]], boxes: Points, groups: Sequence[str]) -> tuple[Points, list[int]]:
    """Return an array of shape (size, 2), and the number of each node's place.

    `boxes` are half widths and heights of nodes with their names, where one step of the graph is about 1. `groups` are
    communities, empty where a node has none; without any, the relationships decide. A hub that is mostly related to
    other places stands apart, with those that only it is related to.
    """
    placed = _places(pairs, groups)
    points, halves = np.zeros((len(boxes), 2)), np.zeros((max(placed, default=-1) + 1, 2))
    for number in range(len(halves)):
        of = np.flatnonzero(np.array(placed) == number)
        local = {int(node): place for place, node in enumerate(of)}
        inside = [(local[one], local[other]) for one, other in pairs if one in local and other in local]
        found = lay_out(len(of), inside, boxes[of])
        low, high = (found - boxes[of]).min(axis=0), (found + boxes[of]).max(axis=0)
        points[of], halves[number] = found - (low + high) / 2, (high - low) / 2 + _GAP
    between = [(placed[one], placed[other]) for one, other in pairs]
    return points + lay_out(len(halves), between, halves, _SHAPE)[placed], placed


def _places(pairs: Sequence[tuple[int, int]], groups: Sequence[str]) -> list[int]:
    around: list[set[int]] = [set() for _ in groups]
    for one, other in pairs:
        around[one] |= {other} - {one}
        around[other] |= {one} - {other}
    of: list[Hashable] = list(groups) if any(groups) else list(_divide(around))
    reached = [Counter(of[other] for other in sorted(near)) for near in around]
    for node, known in enumerate(reached):
        of[node] = of[node] or max(known, key=lambda each: (bool(each), known[each]), default="")
    for hub, known in enumerate(reached):
        if len(around[hub]) >= _HUB and len(known) > 2 and 2 * known[of[hub]] < len(around[hub]):
            for node in (hub, *(each for each in around[hub] if len(around[each]) == 1)):
                of[node] = ("apart", hub)
    numbers = {one: number for number, one in enumerate(dict.fromkeys(of))}
    return [numbers[one] for one in of]


def _divide(around: Sequence[set[int]]) -> list[int]:
    """Return a number from 1 for each node: parts are joined while that makes more relationships lie within them."""
    size = len(around)
    shares = np.array([[float(other in near) for other in range(size)] for near in around]).reshape(size, size)
    shares /= max(shares.sum(), 1)
    of = np.arange(1, size + 1)
    while size:
        gains = np.where(shares > 0, shares - np.outer(shares.sum(axis=1), shares.sum(axis=1)), -np.inf)
        np.fill_diagonal(gains, -np.inf)
        kept, gone = divmod(int(gains.argmax()), size)
        if gains[kept, gone] <= (0 if size > _UNDIVIDED else -1):
            break
        shares[kept] += shares[gone]
        shares[:, kept] += shares[:, gone]
        shares[gone], shares[:, gone], of[of == gone + 1] = 0, 0, kept + 1
    return of.tolist()


def lay_out(size: int, pairs: Sequence[tuple[int, int]], sizes: Points, shape: float = 0) -> Points:
    """Return an array of shape (size, 2), wider than high; packed and as wide by its height as `shape`, if given.

    `pairs` are places of related nodes; loops and repeats are allowed. `sizes` are the nodes' radii, or half widths and
    heights, where one step of the graph is about 1. The same input gives the same points.
    """
    if size < 2:
        return np.zeros((size, 2))
    related = np.zeros((size, size), dtype=bool)
    for first, second in pairs:
        related[first, second] = related[second, first] = first != second
    distances = _steps(related)
    connected = np.isfinite(distances)
    distances[~connected] = max(3.0, _APART * distances[connected].max())
    busy = np.sqrt(np.minimum(related.sum(axis=1), 16))  # steps at a busy node are longer, to give it room
    distances = distances * (1 + 0.12 * (busy[:, None] + busy[None, :])) - 0.24 * (distances > 0)
    weights = 1.0 / np.where(distances > 0, distances, np.inf) ** 2
    one = distances[distances.sum(axis=1).argmax()]  # a first guess by three nodes that are far from each other
    other = distances[one.argmax()]
    points = np.stack([one - other, distances[np.minimum(one, other).argmax()]], axis=1)
    points = points + np.random.default_rng(42).normal(scale=0.25 * distances.max(), size=points.shape)
    rounds, pushes = (min(most, max(10, _WORK // size**2)) for most in (_ROUNDS, _PUSHES))
    for _ in range(rounds):
        difference = points[:, None, :] - points[None, :, :]
        pull = weights * distances / np.maximum(np.sqrt((difference**2).sum(axis=2)), 1e-9)
        moved = (weights @ points + (pull[:, :, None] * difference).sum(axis=1)) / weights.sum(axis=1)[:, None]
        change = np.abs(moved - points).max()
        points = moved
        if change < _TOLERANCE:
            break
    points = points if np.ptp(points[:, 0]) > np.ptp(points[:, 1]) else points[:, ::-1]
    return _push_apart(points, sizes if sizes.ndim == 2 else np.stack([sizes, sizes], axis=1), shape, pushes)


def _steps(related: npt.NDArray[np.bool_]) -> Points:
    """Return the fewest relationships between all nodes, infinite where there is no path."""
    new = np.eye(len(related))
    steps, linked = np.where(new > 0, 0, np.inf), related.astype(np.float64)
    while new.any():
        new = np.where(np.isinf(steps), new @ linked > 0, 0.0)
        steps[new > 0] = steps[steps < np.inf].max() + 1
    return steps


def _push_apart(points: Points, halves: Points, shape: float, pushes: int) -> Points:
    """Return the points with room for boxes of these half widths and heights: all are spread, then overlaps pushed."""
    reach, area = (halves[:, None] + halves[None, :]) * 1.02 + 0.04, 7.6 * halves.prod(axis=1).sum()
    points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    if shape:
        scale = np.sqrt((area * shape, area / shape)) / (np.ptp(points, axis=0) + 1e-9)
        points *= np.minimum(scale, 2 * scale.min())
    else:
        points *= (halves.mean(axis=0) / halves.mean()) ** 0.75  # names are wider than high
        points *= max(1.0, np.sqrt(area / (np.ptp(points, axis=0) + 2 * halves.mean(axis=0)).prod()))
    for turn in range(pushes):
        points = points * (1.005 if turn > pushes / 2 else 0.98 if shape else 1)  # together, as far as there is room
        difference = points[:, None, :] - points[None, :, :]
        overlap = reach - np.abs(difference)
        overlap[range(len(points)), range(len(points))] = 0
        met = np.maximum(overlap.min(axis=2), 0)
        if met.max() < 1e-3 and (not shape or turn > pushes / 2):
            break
        aside = overlap[:, :, 0] < overlap[:, :, 1]  # the shorter way out
        push = met[:, :, None] * np.stack([aside, ~aside], axis=2) * np.where(difference < 0, -1, 1)
        points = points + 0.5 * push.sum(axis=1)
    return points
