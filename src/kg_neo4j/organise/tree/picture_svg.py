"""A tree as SVG: one band for each aspect, a circle for each summary, the leaves as a strip. Pure.

From left to right is the text: the summaries of a level stand in the order of their leaves, evenly apart. A pointer
that rests on a node shows its text. The same tree gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kg_neo4j.organise.html_page import clean
from kg_neo4j.organise.plot_graph import PALETTE

LEAF, SUMMARY, DETAIL = "leaf", "summary", "detail"

WIDTH = 1400.0  # of the picture, in pixels, as everything here
LEFT, RIGHT = 180.0, 30.0  # margins; on the left stand the names
ROOM = WIDTH - LEFT - RIGHT
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
    id: str = ""  # in the graph


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
    """Where a node stands: the middle of a circle, or of the upper edge of a box."""

    x: float
    y: float
    half: float  # of its width


@dataclass(frozen=True, slots=True)
class Band:
    """The rows of one aspect, the highest level on top."""

    aspect: str
    top: float
    levels: int

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
    spots: tuple[Spot, ...]  # of each node


def lay_out(picture: TreePicture) -> Layout:
    """Return where everything stands; the same for the same picture."""
    step = ROOM / max(picture.leaves, 1)
    below = leaves_below(picture)
    spots = [Spot(0, 0, 0)] * len(picture.nodes)
    bands: list[Band] = []
    top = HEAD
    for aspect in picture.aspects:
        rows: dict[int, list[tuple[float, int]]] = {}
        for place, node in enumerate(picture.nodes):
            if node.kind == SUMMARY and node.aspect == aspect:
                middle = sum(below[place]) / max(len(below[place]), 1)
                rows.setdefault(node.level, []).append((middle, place))
        if not rows:
            continue
        bands.append(Band(aspect, top, max(rows)))
        for level, row in rows.items():
            apart = ROOM / len(row)
            for number, (_, place) in enumerate(sorted(row)):
                radius = SMALLEST + (LARGEST - SMALLEST) * (len(below[place]) / max(picture.leaves, 1)) ** 0.5
                spots[place] = Spot(LEFT + (number + 0.5) * apart, bands[-1].row(level), min(radius, 0.45 * apart))
        top = bands[-1].strip + STRIP + GAP
    bottom = top + LEAVES
    for place, node in enumerate(picture.nodes):
        if node.kind == LEAF:
            spots[place] = Spot(LEFT + (node.number + 0.5) * step, top, step / 2)
        elif node.kind == DETAIL and node.parts:
            y = top + LEAVES + 4 + node.number * DETAILS
            spots[place] = Spot(LEFT + (node.parts[0] + 0.5) * step, y, step / 2)
            bottom = max(bottom, y + DETAILS)
    return Layout(bottom + 44, tuple(bands), top, tuple(spots))


def leaves_below(picture: TreePicture) -> list[frozenset[int]]:
    """Return, for each node, the leaves that it was made from in the end."""
    found: list[frozenset[int]] = []
    for place, node in enumerate(picture.nodes):
        found.append(
            frozenset((place,)) if node.kind == LEAF else frozenset().union(*(found[part] for part in node.parts))
        )
    return found


def draw(picture: TreePicture) -> str:
    """Return the picture as an SVG file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{markup(picture, has_titles=True)}\n'


def markup(picture: TreePicture, *, has_titles: bool) -> str:
    """Return the svg element. Every node is a group with `data-n`, its place; `has_titles` puts texts into it."""
    layout = lay_out(picture)
    colours = {aspect: PALETTE[number % len(PALETTE)] for number, aspect in enumerate(picture.aspects)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {layout.height:.0f}" '
        f'width="{WIDTH:.0f}" height="{layout.height:.0f}" font-family="Helvetica, Arial, sans-serif" role="img">',
        f"<title>{clean(picture.title)}</title>",
        f'<rect width="{WIDTH:.0f}" height="{layout.height:.0f}" fill="#ffffff"/>',
        *_head(picture),
    ]
    for band in layout.bands:
        parts += _band(picture, layout, band, colours[band.aspect])
    parts += _axis(picture, layout)
    for place, node in enumerate(picture.nodes):
        title = f"<title>{clean(_title(node))}</title>" if has_titles else ""
        shape = _shape(node, layout.spots[place], colours.get(node.aspect, GREY))
        parts.append(f'<g class="node {node.kind}" data-n="{place}">{title}{shape}</g>')
    return "\n".join([*parts, "</svg>"])


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
    yield _text(24, 30, 19, INK, picture.title[:110])
    yield _text(24, 50, 12, "#666666", " · ".join(said))


def _text(x: float, y: float, size: int, colour: str, text: str, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">{clean(text)}</text>'
    )


def _band(picture: TreePicture, layout: Layout, band: Band, colour: str) -> Iterator[str]:
    """Yield a band's names, its strip, and lines: one path a summary, so that files stay small."""
    name = band.aspect.replace("_", " ")
    name = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    yield _text(24, band.row(band.levels) + 5, 14, colour, name)
    for level in range(1, band.levels + 1):
        y = band.row(level)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#eeeeee"/>'
        yield _text(LEFT - 8, y + 4, 10, GREY, str(level), "end")
    own = [(place, node) for place, node in enumerate(picture.nodes) if node.aspect == band.aspect]
    lowest = [node.parts for _, node in own if node.level == 1]
    covered = [layout.spots[leaf] for leaf in sorted({leaf for parts in lowest for leaf in parts})]
    boxes = "".join(f"M{leaf.x - leaf.half:.2f} {band.strip + STRIP / 2:.1f}h{2 * leaf.half:.2f}" for leaf in covered)
    yield f'<path d="{boxes}" fill="none" stroke="{colour}" stroke-width="{STRIP:.0f}" stroke-opacity="0.35"/>'
    for place, node in own:
        if node.level == 1 and sum(map(len, lowest)) > MOST_LINES:
            continue
        spot = layout.spots[place]
        bends = []
        for part in node.parts:
            x, y = layout.spots[part].x, band.strip if picture.nodes[part].kind == LEAF else layout.spots[part].y
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
    yield _text(24, layout.leaves_top + LEAVES / 2 + 4, 14, INK, "text")
    if any(node.kind == DETAIL for node in picture.nodes):
        yield _text(24, layout.leaves_top + LEAVES + 4 + DETAILS, 11, "#666666", "notes")
    yield _text(LEFT, layout.height - 14, 10, GREY, "leaf 1")
    if picture.leaves > 1:
        yield _text(WIDTH - RIGHT, layout.height - 14, 10, GREY, f"leaf {picture.leaves}", "end")


def _shape(node: PictureNode, spot: Spot, colour: str) -> str:
    if node.kind == SUMMARY:
        hollow = ' fill-opacity="0.55"' if node.flags else ""
        circle = f'<circle cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{spot.half:.1f}"'
        return f'{circle} fill="{colour}"{hollow} stroke="#ffffff"/>'
    height = LEAVES if node.kind == LEAF else DETAILS - 2
    tone = "#8a93a3" if node.kind == DETAIL else "#c9ced6" if node.number % 2 else "#b4bac4"
    box = f'<rect x="{spot.x - spot.half:.2f}" y="{spot.y:.1f}" width="{2 * spot.half:.2f}" height="{height:.0f}"'
    return f'{box} fill="{tone}"/>'


def _title(node: PictureNode) -> str:
    text = " ".join(node.text.split())
    if node.kind == LEAF and len(text) > SHORT:
        text = text[:SHORT].rstrip() + "…"
    return f"{label(node)}: {text}"
