"""A tree drawn by level and aspect, as SVG or a page: a band for each aspect, a circle for each summary, then leaves.

From left to right is the text: the summaries of a level stand in the order of their leaves, evenly apart. A pointer
that rests on a node shows its text. The same tree gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import html_page
from kg_neo4j.organise.html_page import clean
from kg_neo4j.organise.plot import write_whole
from kg_neo4j.organise.plot_graph import PALETTE
from kg_neo4j.organise.tree.stored import Node, StoredTree, read_tree, tree_id

SUFFIXES = (".svg", ".html")
_STYLE, _SCRIPT = (Path(__file__).with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".css", ".js"))
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


def check_target(target: Path) -> None:
    """Raise UsageError for a file that no tree can be drawn into, before there is a tree."""
    if target.suffix.lower() not in SUFFIXES:
        raise UsageError(f"cannot draw a tree into {target.name!r}", hint="name a file that ends in .svg or .html")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")


def plot_tree(
    database: Database, graph: str, document_id: str, target: Path, *, name: str = "narrative", title: str = ""
) -> TreePicture:
    """Draw a document's tree into a .svg or .html file and return what was drawn.

    The page shows the text and the sources of a node that is clicked, and needs no network. An existing file is
    replaced once the new one is whole. Raises UsageError for another extension, a folder that does not exist, or where
    there is no complete tree of that name.
    """
    check_target(target)
    picture = read_picture(database, graph, document_id, name=name, title=title)
    drawn = page(picture) if target.suffix.lower() == ".html" else draw(picture)
    write_whole(target, drawn.encode("utf-8"))
    return picture


def read_picture(
    database: Database, graph: str, document_id: str, *, name: str = "narrative", title: str = ""
) -> TreePicture:
    """Return what there is to draw of a document's tree. Raises UsageError where there is no complete tree."""
    stored = read_tree(database, graph, tree_id(graph, document_id, name))
    if stored is None or not stored.complete:
        raise UsageError(f"there is no complete tree {name!r} of {title or document_id}", hint="`kg tree` builds it")
    leaves = database.read(queries.get("tree/picture_leaves"), graph=graph, tree=stored.id)
    return compose(stored, [(row["id"], row["text"] or "") for row in leaves], title or document_id)


def compose(stored: StoredTree, leaves: Sequence[tuple[str, str]], title: str) -> TreePicture:
    """Return the picture of a stored tree; `leaves` are (id, text) in the order of the text."""
    nodes = [PictureNode(LEAF, "", 0, number, text, id=id) for number, (id, text) in enumerate(leaves)]
    place = {node.id: number for number, node in enumerate(nodes)}
    # Aspects come in the order of their set; those that only summaries name come after.
    aspects = [str(each) for each in json.loads(stored.settings or "{}").get("aspects", ())]
    summaries = [node for node in stored.nodes.values() if node.label == "Summary"]
    aspects += sorted({node.properties["aspect"] for node in summaries} - set(aspects))

    def order(node: Node) -> tuple[int, int, int, str]:
        said = node.properties
        return said["level"], aspects.index(said["aspect"]), said["number"], node.id

    def parts(node: Node) -> tuple[int, ...]:
        return tuple(sorted(place[link[0]] for link in node.links if link[0] in place))

    def drawn(kind: str, node: Node) -> PictureNode:
        said = node.properties
        about = (said.get("aspect", ""), said.get("level", 0), said["number"], said["text"], said["method"])
        return PictureNode(kind, *about, tuple(said.get("flags", ())), parts(node), node.id)

    for node in sorted(summaries, key=order):
        place[node.id] = len(nodes)
        nodes.append(drawn(SUMMARY, node))
    details = [node for node in stored.nodes.values() if node.label == "Detail"]
    details.sort(key=lambda node: (min(parts(node), default=-1), node.properties["number"], node.id))
    nodes += [drawn(DETAIL, node) for node in details]
    absent = tuple(stored.properties.get("absent") or ())
    return TreePicture(title, stored.name, tuple(aspects), absent, tuple(nodes))


def page(picture: TreePicture) -> str:
    """Return the tree as one HTML page: a click on a node shows its text and its sources. It loads nothing.

    Texts are data in it, never markup: the script puts them into the page as text. Where the page's address ends with
    "#12", the node at place 12 is chosen.
    """
    nodes = [
        {"kind": node.kind, "label": label(node), "text": html_page.whole(node.text), "method": node.method}
        | {"flags": list(node.flags), "parts": list(node.parts)}
        for node in picture.nodes
    ]
    drawn = f"<main>\n{markup(picture, has_titles=False)}\n</main>\n<aside></aside>"
    return html_page.compose(picture.title, drawn, nodes, "nodes", _STYLE, _SCRIPT)


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
        below = [frozenset((place,))] if node.kind == LEAF else [found[part] for part in node.parts]
        found.append(frozenset().union(*below))
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
