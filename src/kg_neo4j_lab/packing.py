"""The positions of nodes where graphs are compared: each connected part is laid out by itself, and parts are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kg_neo4j.organise.plot_layout import Points, lay_out

_GAP = 0.12  # around a part that is packed
_ON_A_LINE = (0.2, 0.4, 0.6, 0.8)  # places that other parts keep clear of
_GRID = 0.5  # between the places where a part may stand


def pack(size: int, pairs: Sequence[tuple[int, int]], sizes: Points, width: float) -> Points:
    """Return an array of shape (size, 2), about `width` times as wide as high: more nodes take more room.

    Arguments and result are otherwise those of `lay_out`. Parts that are not connected with each other are placed side
    by side, the largest in the middle.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.array(pairs, np.int64).reshape(-1, 2)
    related = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
    _, labels = connected_components(related, directed=False)
    points = np.zeros((size, 2))
    parts: list[_ConnectedPart] = []
    for label in range(labels.max(initial=-1) + 1):
        members = np.flatnonzero(labels == label)
        places = {int(node): place for place, node in enumerate(members)}
        inside = [(places[one], places[other]) for one, other in pairs if one in places]
        found = lay_out(len(members), inside, sizes[members])
        found -= (found.min(axis=0) + found.max(axis=0)) / 2
        points[members] = found
        radius = float((np.hypot(*found.T) + sizes[members]).max()) + _GAP
        lines = [found[one] * share + found[other] * (1 - share) for one, other in inside for share in _ON_A_LINE]
        parts.append(_ConnectedPart(radius, members, np.array([*found, *lines]), float(sizes[members].max()) + _GAP))
    parts.sort(key=lambda part: (-part.radius, part.members[0]))
    for part, centre in zip(parts, _centres(parts, width), strict=True):
        points[part.members] += centre
    return points


@dataclass(frozen=True, slots=True)
class _ConnectedPart:
    """Connected nodes, around the origin."""

    radius: float  # of a circle around all of them
    members: npt.NDArray[np.int64]
    outline: Points  # nodes, and points on the lines between them
    margin: float  # that others keep from the outline


def _centres(parts: Sequence[_ConnectedPart], width: float) -> Points:
    """Return places for parts, the largest first: for each the free place that is nearest to the middle."""
    from scipy.spatial import KDTree

    if not parts:
        return np.zeros((0, 2))
    # A part is no larger than those before it: their circles take at most four times their area from it.
    radii = np.array([part.radius for part in parts])
    reach = 2 * np.sqrt(np.square(radii).sum()) + radii[0] + 1
    line = np.arange(-np.ceil(reach / _GRID), np.ceil(reach / _GRID) + 1) * _GRID
    grid = np.stack(np.meshgrid(line * np.sqrt(width), line / np.sqrt(width)), axis=-1).reshape(-1, 2)
    far = np.hypot(grid[:, 0] / width, grid[:, 1])
    grid = grid[np.lexsort((grid[:, 0], grid[:, 1], far.round(6)))]
    free = np.full(len(grid), np.inf)
    centres = []
    for part in parts:
        centre = grid[np.argmax(free >= part.radius)]
        centres.append(centre)
        if len(part.outline) == 1:
            near = np.hypot(*(grid - centre).T)
        else:
            near, _ = KDTree(part.outline + centre).query(grid)
        free = np.minimum(free, near - part.margin)
    return np.array(centres)
