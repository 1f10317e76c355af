"""A tree as SVG: one band for each aspect, a circle for each summary, the leaves as a strip. Pure.

From left to right is the text: a summary stands above the middle of the leaves that it was made from. Whoever rests the
pointer on a node reads its text. The same tree gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from kg_neo4j.organise.plot_graph import PALETTE

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

MOST_LINES = 1_500  # from the first level of a band to leaves; more of them would be a grey surface
LONGEST_NAME = 18  # characters of an aspect beside its band
SHORT = 160  # characters of a leaf that its title shows
GREY, INK = "#9aa0a6", "#222222"

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


def draw(picture: TreePicture) -> str:
    """Return the picture as an SVG file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{markup(picture, has_titles=True)}\n'


def markup(picture: TreePicture, *, has_titles: bool) -> str:
    """Return the svg element. Every node is a group with `data-n`, its place; `has_titles` puts texts into it."""
    layout = lay_out(picture)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {layout.height:.0f}" '
        f'width="{WIDTH:.0f}" height="{layout.height:.0f}" font-family="Helvetica, Arial, sans-serif" role="img">',
        f"<title>{clean(picture.title)}</title>",
        f'<rect width="{WIDTH:.0f}" height="{layout.height:.0f}" fill="#ffffff"/>',
        *_head(picture),
    ]
    colours = colours_of(picture)
    for band in layout.bands:
        parts += _band(band, colours[band.aspect])
        parts += _lines(picture, layout, band, colours[band.aspect])
    parts += _axis(picture, layout)
    for place, node in enumerate(picture.nodes):
        parts.append(_node(place, node, layout, colours, has_titles=has_titles))
    return "\n".join([*parts, "</svg>"])


def colours_of(picture: TreePicture) -> dict[str, str]:
    """Return a colour for each aspect."""
    return {aspect: PALETTE[number % len(PALETTE)] for number, aspect in enumerate(picture.aspects)}


def clean(text: str) -> str:
    """Return a text as XML may hold it: escaped, and without characters that no XML file has."""
    return escape(whole(text))


def whole(text: str) -> str:
    """Return a text without characters that no file of a picture can hold."""
    return _NO_XML.sub("\ufffd", text)


def label(node: PictureNode) -> str:
    """Return what a node is called."""
    if node.kind == LEAF:
        return f"leaf {node.number + 1}"
    if node.kind == DETAIL:
        return f"note {node.number + 1}"
    return f"{node.aspect.replace('_', ' ')}, level {node.level}, cluster {node.number + 1}"


def _head(picture: TreePicture) -> Iterator[str]:
    summaries = sum(node.kind == SUMMARY for node in picture.nodes)
    details = sum(node.kind == DETAIL for node in picture.nodes)
    said = [f"tree “{picture.name}”", f"{picture.leaves} leaves", f"{summaries} summaries", f"{details} notes"]
    if picture.absent:
        said.append(f"shown nowhere: {', '.join(each.replace('_', ' ') for each in picture.absent)}")
    yield f'<text x="24" y="30" font-size="19" fill="{INK}">{clean(picture.title[:110])}</text>'
    yield f'<text x="24" y="50" font-size="12" fill="#666666">{clean(" · ".join(said))}</text>'


def _band(band: Band, colour: str) -> Iterator[str]:
    name = band.aspect.replace("_", " ")
    name = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    yield f'<text x="24" y="{band.row(band.levels) + 5:.1f}" font-size="14" fill="{colour}">{clean(name)}</text>'
    for level in range(1, band.levels + 1):
        y = band.row(level)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#eeeeee"/>'
        yield (
            f'<text x="{LEFT - 8:.0f}" y="{y + 4:.1f}" font-size="10" fill="{GREY}" text-anchor="end">{level}</text>'
        )
    for x, width in band.covered:
        yield (
            f'<rect x="{x:.2f}" y="{band.strip:.1f}" width="{width:.2f}" height="{STRIP:.0f}" fill="{colour}" '
            'fill-opacity="0.35"/>'
        )


def _lines(picture: TreePicture, layout: Layout, band: Band, colour: str) -> Iterator[str]:
    """Yield lines from summaries to what they were made from: one path a summary, so that files stay small."""
    own = [
        (place, node) for place, node in enumerate(picture.nodes) if node.kind == SUMMARY and node.aspect == band.aspect
    ]
    to_leaves = sum(len(node.parts) for _, node in own if node.level == 1)
    for place, node in own:
        if node.level == 1 and to_leaves > MOST_LINES:
            continue
        spot = layout.spots[place]
        bends = []
        for part in node.parts:
            end = layout.spots[part]
            x = end.x + end.width / 2
            y = band.strip if picture.nodes[part].kind == LEAF else end.y
            half = (spot.y + y) / 2
            bends.append(f"M{spot.x:.1f} {spot.y:.1f}C{spot.x:.1f} {half:.1f} {x:.1f} {half:.1f} {x:.1f} {y:.1f}")
        faint = "0.16" if node.level == 1 else "0.4"
        yield (
            f'<path class="lines" data-of="{place}" d="{"".join(bends)}" fill="none" stroke="{colour}" '
            f'stroke-opacity="{faint}"/>'
        )


def _axis(picture: TreePicture, layout: Layout) -> Iterator[str]:
    if not picture.leaves:
        return
    y = layout.leaves_top + LEAVES / 2 + 4
    yield f'<text x="24" y="{y:.1f}" font-size="14" fill="{INK}">text</text>'
    if any(node.kind == DETAIL for node in picture.nodes):
        yield f'<text x="24" y="{layout.details_top + DETAILS:.1f}" font-size="11" fill="#666666">notes</text>'
    base = layout.height - 14
    ends = [(LEFT, "start", "1"), (WIDTH - RIGHT, "end", str(picture.leaves))]
    for x, anchor, number in ends if picture.leaves > 1 else ends[:1]:
        yield (
            f'<text x="{x:.0f}" y="{base:.1f}" font-size="10" fill="{GREY}" text-anchor="{anchor}">leaf {number}</text>'
        )


def _node(place: int, node: PictureNode, layout: Layout, colours: dict[str, str], *, has_titles: bool) -> str:
    spot = layout.spots[place]
    if node.kind == SUMMARY:
        fill = colours.get(node.aspect, GREY)
        hollow = ' fill-opacity="0.55"' if node.flags else ""
        circle = f'<circle cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{spot.radius:.1f}"'
        shape = f'{circle} fill="{fill}"{hollow} stroke="#ffffff"/>'
    else:
        height = LEAVES if node.kind == LEAF else DETAILS - 2
        tone = ("#c9ced6" if node.number % 2 else "#b4bac4") if node.kind == LEAF else "#8a93a3"
        shape = (
            f'<rect x="{spot.x:.2f}" y="{spot.y:.1f}" width="{spot.width:.2f}" height="{height:.0f}" fill="{tone}"/>'
        )
    said = f"<title>{clean(_title(node))}</title>" if has_titles else ""
    return f'<g class="node {node.kind}" data-n="{place}">{said}{shape}</g>'


def _title(node: PictureNode) -> str:
    text = " ".join(node.text.split())
    if node.kind == LEAF and len(text) > SHORT:
        text = text[:SHORT].rstrip() + "…"
    return f"{label(node)}: {text}"
