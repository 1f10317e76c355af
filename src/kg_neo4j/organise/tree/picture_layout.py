"""Where the nodes of a tree stand in its picture: one band for each aspect, levels above each other, leaves below.

From left to right is the text: a summary stands above the middle of the leaves that it was made from. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LEAF, SUMMARY, DETAIL = "leaf", "summary", "detail"

WIDTH = 1400.0  # of the picture, in pixels, as everything here
LEFT, RIGHT = 180.0, 30.0  # margins; on the left stand the names
HEAD = 64.0
ROW = 46.0  # height of a level
DROP = 18.0  # from the lowest level to the strip, beyond half a row: so that lines part
STRIP = 8.0  # height, of a band: which leaves it covers
GAP = 22.0  # between bands
LEAVES = 26.0  # height of the leaves
DETAILS = 9.0  # height of a row of details
SMALLEST, LARGEST = 4.0, 12.0  # radii


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A leaf, a summary or a detail to draw."""

    kind: str
    aspect: str  # of a summary
    level: int  # of a summary, from 1
    number: int  # in its level and aspect, or on its leaf, or in the text
    text: str
    method: str = ""
    flags: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()  # what it was made from: places in `TreePicture.nodes`, all before its own


@dataclass(frozen=True, slots=True)
class TreePicture:
    """Everything that a picture needs: leaves in the order of the text, then summaries by level, then details."""

    title: str
    name: str  # of the tree
    aspects: tuple[str, ...]
    absent: tuple[str, ...]  # aspects that nothing shows
    nodes: tuple[PictureNode, ...]

    @property
    def leaves(self) -> int:
        """Number of leaves: the first nodes."""
        return sum(node.kind == LEAF for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a node stands. A leaf or a detail is a box from (x, y), `width` wide; a summary a circle around (x, y)."""

    x: float
    y: float
    radius: float = 0.0
    width: float = 0.0


@dataclass(slots=True)
class Band:
    """The rows of one aspect."""

    aspect: str
    top: float
    levels: int
    covered: list[tuple[float, float]] = field(default_factory=list)  # (x, width) of runs of leaves

    @property
    def strip(self) -> float:
        """Top of the strip that shows which leaves are covered."""
        return self.top + self.levels * ROW + DROP

    def row(self, level: int) -> float:
        """Return the middle of a level."""
        return self.top + (self.levels - level + 0.5) * ROW


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture laid out."""

    height: float
    bands: tuple[Band, ...]
    leaves_top: float
    details_top: float
    spots: tuple[Spot, ...]  # of each node


def lay_out(picture: TreePicture) -> Layout:
    """Return where everything stands; the same for the same picture."""
    nodes, count = picture.nodes, picture.leaves
    step = (WIDTH - LEFT - RIGHT) / max(count, 1)
    below = leaves_below(picture)
    spots = [Spot(0, 0)] * len(nodes)
    bands: list[Band] = []
    top = HEAD
    for aspect in picture.aspects:
        own = [place for place, node in enumerate(nodes) if node.kind == SUMMARY and node.aspect == aspect]
        if not own:
            continue
        band = Band(aspect, top, max(nodes[place].level for place in own))
        for level in range(1, band.levels + 1):
            row = [place for place in own if nodes[place].level == level]
            _place_row(row, below, count, band.row(level), spots)
        covered = sorted({leaf for place in own if nodes[place].level == 1 for leaf in below[place]})
        band.covered = [(LEFT + first * step, (last - first + 1) * step) for first, last in _runs(covered)]
        bands.append(band)
        top = band.strip + STRIP + GAP
    details_top = top + LEAVES + 4
    rows = 0
    for place, node in enumerate(nodes):
        if node.kind == LEAF:
            spots[place] = Spot(LEFT + node.number * step, top, width=step)
        elif node.kind == DETAIL and node.parts:
            leaf = node.parts[0]
            spots[place] = Spot(LEFT + leaf * step, details_top + node.number * DETAILS, width=step)
            rows = max(rows, node.number + 1)
    return Layout(details_top + rows * DETAILS + 40, tuple(bands), top, details_top, tuple(spots))


def leaves_below(picture: TreePicture) -> list[frozenset[int]]:
    """Return, for each node, the leaves that it was made from in the end."""
    found: list[frozenset[int]] = []
    for place, node in enumerate(picture.nodes):
        if node.kind == LEAF:
            found.append(frozenset((place,)))
        else:
            found.append(frozenset().union(*(found[part] for part in node.parts)))
    return found


def _place_row(row: Sequence[int], below: Sequence[frozenset[int]], leaves: int, y: float, spots: list[Spot]) -> None:
    """Stand summaries of one level beside each other, each as near to the middle of its leaves as there is room."""
    step = (WIDTH - LEFT - RIGHT) / max(leaves, 1)
    share = {place: (len(below[place]) / max(leaves, 1)) ** 0.5 for place in row}
    radii = {place: SMALLEST + (LARGEST - SMALLEST) * share[place] for place in row}
    room = WIDTH - LEFT - RIGHT
    tight = min(1.0, room / sum(2 * radii[place] + 2 for place in row)) if row else 1.0
    radii = {place: radius * tight for place, radius in radii.items()}
    middle = {
        place: LEFT + step * (sum(below[place]) / len(below[place]) + 0.5 if below[place] else leaves / 2)
        for place in row
    }
    order = sorted(row, key=lambda place: (middle[place], place))
    xs = [max(LEFT + radii[place], min(WIDTH - RIGHT - radii[place], middle[place])) for place in order]
    gaps = [radii[left] + radii[right] + 2 * tight for left, right in pairwise(order)]
    for place in range(1, len(xs)):
        xs[place] = max(xs[place], xs[place - 1] + gaps[place - 1])
    if xs:
        xs[-1] = min(xs[-1], WIDTH - RIGHT - radii[order[-1]])
    for place in range(len(xs) - 2, -1, -1):
        xs[place] = min(xs[place], xs[place + 1] - gaps[place])
    for place, x in zip(order, xs, strict=True):
        spots[place] = Spot(x, y, radius=radii[place])


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the (first, last) of runs of numbers without a gap."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
