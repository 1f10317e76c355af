"""What the viewer draws: nodes in their places, relationships, legends, and what a click shows: words of the sources.

Also as a page that loads nothing from the network, and as SVG: a file, or what a page shows where no script runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from kg_neo4j.data_files import beside
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.organise import html_page
from kg_neo4j.organise.html_page import clean
from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, shorten
from kg_neo4j.organise.plot_layout import arrange
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE

_SVG = beside(__file__).table("svg")
_SMALL, _LARGE = 0.06, 0.3  # radii, where one step of the graph is about 1
GROUPINGS = ("type", "community")
QUOTES = 5  # of one node or relationship, at most
LONGEST = 600  # characters of a quote
Address = Callable[[str, int | None, int | None], str]  # of words in a chunk, by its id and their offsets
_STEP, _MARGIN = 115.0, 12.0  # of a still picture: pixels that one step of the graph takes, and around all
_LETTER, _LINE, _WIDE = 0.58, 1.2, "\u2e80"  # width and height of a letter by the font size; twice as wide from here on
_SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))  # where a name may be at its node
_LEAST, _ROW, _MOST_GROUPS = 480.0, 24.0, 10  # width of a file; height of a row of its legend, and groups in it
_FEW = 60  # relationships: so many have types and clear lines also between places
FONTS = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif"
_Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class ViewNode:
    """A node; `x`, `y` and its radius `size` are in steps of the graph."""

    id: str
    name: str
    type: str
    community: str  # a value of the legend of communities
    size: float
    x: float
    y: float  # grows downwards
    place: int  # nodes of one place are near each other
    degree: int  # relationships, also to nodes that are not drawn


@dataclass(frozen=True, slots=True)
class ViewEdge:
    """A relationship; no node has its id."""

    id: str
    source: str
    target: str
    type: str
    years: tuple[int, ...]  # of its dates


@dataclass(frozen=True, slots=True)
class ViewGroup:
    """A line of a legend."""

    value: str  # as the nodes have it
    name: str
    colour: str
    count: int


@dataclass(frozen=True, slots=True)
class ViewQuote:
    """Words of a document that mention a node or state a relationship."""

    text: str
    document: str  # title
    href: str = ""  # of the passage, on the same site


@dataclass(frozen=True, slots=True)
class ViewDetail:
    """What a click shows of a node or a relationship."""

    description: str
    evidence: int  # quotes in the sources; more than those shown here
    quotes: tuple[ViewQuote, ...]
    href: str = ""  # of its page, on the same site


@dataclass(frozen=True, slots=True)
class GraphView:
    """All that the viewer takes, field for field, as JSON."""

    title: str
    colour_by: str  # "type" or "community"
    caption: str  # how many nodes are shown, and why
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    places: tuple[tuple[str, _Box], ...]  # around three and more nodes of a place, with its title or an empty text
    legends: Mapping[str, tuple[ViewGroup, ...]]  # by grouping, the largest group first
    details: Mapping[str, ViewDetail] = field(default_factory=dict)  # by id of a node or a relationship
    more_at: str = ""  # an address that gives a GraphView as `picture`, where it asks for a node's neighbours


def view(graph: PlotGraph, colour_by: str) -> GraphView:
    """Return the view of a graph without details. Ids are "n" or "e" and the place in the graph. Deterministic."""
    degrees = np.array([max(node.degree, 1) for node in graph.nodes], dtype=np.float64)
    sizes = _SMALL + (_LARGE - _SMALL) * np.sqrt(degrees / max(degrees.max(initial=0), 6))
    words = [_half(shorten(node.name), 13 + 12 * size) for node, size in zip(graph.nodes, sizes, strict=True)]
    across, line = np.array(words).reshape(-1, 2).T / _STEP
    halves = np.stack([np.maximum(sizes, across), sizes + line], axis=1) + 0.03
    pairs = [(each.source, each.target) for each in graph.relationships]
    middles, placed = arrange(pairs, halves, [node.community for node in graph.nodes])
    middles, groups = middles * (1, -1), {each: group_colours(graph.nodes, each) for each in GROUPINGS}
    points = ((middles - np.stack([0 * line, line], axis=1)).round(3) + 0).tolist()  # names are below their nodes
    nodes = []
    for at, (node, (x, y)) in enumerate(zip(graph.nodes, points, strict=True)):
        of, size = (groups["type"][0][at], groups["community"][0][at]), round(float(sizes[at]), 3)
        nodes.append(ViewNode(f"n{at}", node.name, *of, size, x, y, placed[at], node.degree))
    edges = tuple(
        ViewEdge(f"e{at}", f"n{each.source}", f"n{each.target}", each.type, each.years)
        for at, each in enumerate(graph.relationships)
    )
    legends = {
        each: tuple(ViewGroup(one, graph.label(one, each), colour, of.count(one)) for one, colour in colours.items())
        for each, (of, colours) in groups.items()
    }
    places = []
    for members in (np.flatnonzero(np.array(placed) == number) for number in range(max(placed, default=-1) + 1)):
        if 2 < len(members) < len(placed):
            title, low = graph.titles.get(graph.nodes[members[0]].community, ""), middles[members] - halves[members]
            left, top = low.min(axis=0) - (0.15, 0.3 if title else 0.15)
            right, bottom = (middles[members] + halves[members]).max(axis=0) + 0.15
            places.append((title, (float(left), float(top), float(right), float(bottom))))
    return GraphView(graph.name, colour_by, graph.caption(), tuple(nodes), edges, tuple(places), legends)


def read_view(database: Database, graph: PlotGraph, colour_by: str, address: Address | None = None) -> GraphView:
    """Return the view of a graph with the details of each node and each relationship; quotes lead to an address."""
    details: dict[str, ViewDetail] = {}
    nums, facts = [node.num for node in graph.nodes], [each.fact for each in graph.relationships]
    for kind, letter, keys in (("entity", "n", nums), ("fact", "e", facts)):
        found = read_details(database, graph.name, kind, keys, address)
        details |= {f"{letter}{at}": found[key] for at, key in enumerate(keys) if key in found}
    return replace(view(graph, colour_by), details=details)


def read_details(
    database: Database, graph: str, kind: str, keys: Sequence[int | str], address: Address | None = None
) -> dict[int | str, ViewDetail]:
    """Return what there is to show of things of a kind, "entity" by num or "fact" by id; unknown ones are left out."""
    query = queries.get(f"analytics/plot_{kind}_evidence")

    def work(transaction: Transaction) -> dict[int | str, ViewDetail]:
        # Rows of one entity often have one quote, so that more of them are read.
        rows = transaction.run(query, graph=graph, keys=keys, quotes=3 * QUOTES, hub=2_000)
        chunks = sorted({quote[0] for row in rows for quote in row["Quotes"]})
        texts = {row["id"]: row["text"] or "" for row in transaction.run(queries.get("write/chunk_texts"), ids=chunks)}
        return {
            row["Key"]: ViewDetail(row["Description"], row["Evidence"], _quotes(row["Quotes"], texts, address))
            for row in rows
        }

    return database.read_transaction(work)


def _quotes(rows: Sequence[Sequence[Any]], texts: Mapping[str, str], address: Address | None) -> tuple[ViewQuote, ...]:
    """Return the words as the sources have them, each once."""
    quotes: dict[tuple[str, str], ViewQuote] = {}
    for chunk, start, end, words, document in rows:
        text = " ".join((texts.get(chunk, "")[start:end] if start is not None else words or "").split())
        if text:
            shown = text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"
            href = address(chunk, start, end) if address else ""
            quotes.setdefault((shown, document or ""), ViewQuote(shown, document or "", href))
    return tuple(quotes.values())[:QUOTES]


def draw_page(shown: GraphView) -> str:
    """Return the page. Names and quotes are data in it, never markup. Without a script it is a still picture."""
    script, style = (file.read_text(encoding="utf-8") for file in (SCRIPT_FILE, STYLE_FILE))
    viewer = f'<div class="kg-viewer" data-inline="kg-graph">\n{draw_still(shown)}\n</div>'
    body = f"<main>\n<h1>{clean(shown.title)}</h1>\n{viewer}\n</main>"
    return html_page.compose(shown.title, body, asdict(shown), "kg-graph", style, script, body_class="kg-plot")


def draw_still(view: GraphView) -> str:
    """Return an svg element: every node with its name as its title, and as many names next to them as fit."""
    marks, (left, top, wide, high) = _still(view)
    return _SVG["still"].format(left=left, top=top, wide=wide, high=high, title=clean(view.title), marks=marks)


def draw_file(view: GraphView) -> str:
    """Return an SVG file: the still picture on white, below a title, what is shown, and the legend."""
    marks, (left, top, across, down) = _still(view, _SVG["halo"])
    least = max(_LEAST, *(2 * _half(*each)[0] + 48 for each in ((view.caption, 16), (shorten(view.title), 28))))
    large = min(max(1.0, (least - 24) / across), 2.0)
    wide = max(least, large * across + 24)
    rows = [(group.colour, shorten(f"{group.name} {group.count}")) for group in view.legends[view.colour_by]]
    if len(rows) > _MOST_GROUPS:
        rows[_MOST_GROUPS:] = [("none", f"and {len(rows) - _MOST_GROUPS} more")]
    legend, x, y = "", 30.0, 74 + _ROW
    for colour, label in rows:
        room = 36 + 2 * _half(label, 14)[0]
        x, y = (x, y) if x + room < wide else (30.0, y + _ROW)
        legend += _SVG["group"].format(x=x, y=y, colour=colour, at=x + 14, line=y + 5, label=clean(label))
        x += room
    y += _ROW
    moved = {"across": wide / 2 - large * (left + across / 2), "down": y - large * top, "large": large, "marks": marks}
    size, said = {"wide": wide, "high": y + large * down + 12}, {"title": clean(shorten(view.title)), "fonts": FONTS}
    return _SVG["file"].format(**size, **said, caption=view.caption, legend=legend, **moved)


def _still(view: GraphView, halo: str = "") -> tuple[str, _Box]:
    """Return a still picture, and its left, top, width and height: places, lines, circles, and words with room."""
    at = {node.id: (node.x * _STEP, node.y * _STEP, node.size * _STEP) for node in view.nodes}
    place_of = {node.id: node.place for node in view.nodes}
    colours = {group.value: group.colour for group in view.legends[view.colour_by]}
    rooms = np.array([box for _, box in view.places]).reshape(-1, 4) * _STEP
    taken = np.array([(x - r, y - r, x + r, y + r) for x, y, r in at.values()]).reshape(-1, 4)
    lines, circles, words = ["", ""], "", ""  # lines between places, and within one

    def write(kind: str, text: str, size: float, spots: Sequence[Sequence[float]], turn: float = 0) -> None:
        """Write a text around the first spot that is free of circles, or that of an important name free of names."""
        nonlocal taken, words
        (half, high), across, up = _half(text, size), abs(np.cos(turn)), abs(np.sin(turn))
        reach = np.array((half * across + high * up, half * up + high * across))
        for others in (taken, taken[len(at) :])[: 1 + (kind == "hub")]:
            for x, y in spots:
                low, top = np.array((x, y)) - reach, np.array((x, y)) + reach
                if not ((others[:, :2] < top) & (low < others[:, 2:])).all(axis=1).any():
                    taken = np.concatenate([taken, [[*low, *top]]])
                    place = {"x": x, "y": y, "line": y + size * 0.35, "size": size, "turn": np.degrees(turn)}
                    words += _SVG[kind].format(**place, text=clean(text))
                    return

    for (title, _), (left, top, right, _) in zip(view.places, rooms, strict=True):
        write("title", title, 14, [((left + right) / 2, top + 14)])
    for number, node in enumerate(sorted(view.nodes, key=lambda each: -each.size)):
        (x, y, r), text, size = at[node.id], shorten(node.name), 13 + 12 * node.size
        half, high = _half(text, size)
        circles += _SVG["circle"].format(x, y, r, colour=colours[getattr(node, view.colour_by)], name=clean(node.name))
        spots = [(x + right * (r + half + 3), y + down * (r + high)) for right, down in _SIDES]
        write("hub" if number**2 < len(at) else "name", text, size, spots)
    for edge in view.edges:
        (ax, ay, one), (bx, by, other) = sorted((at[edge.source], at[edge.target]))
        is_within = place_of[edge.source] == place_of[edge.target]
        lines[is_within] += _SVG["line"].format(ax, ay, bx, by)
        text = edge.type.replace("_", " ").lower()
        text = f"{text} →" if at[edge.source] < at[edge.target] else f"← {text}"
        if (is_within or len(view.edges) < _FEW) and np.hypot(bx - ax, by - ay) > one + other + 2 * _half(text, 11)[0]:
            spots = [(ax + share * (bx - ax), ay + share * (by - ay)) for share in (0.5, 0.4, 0.6)]
            write("type", text, 11, spots, float(np.arctan2(by - ay, bx - ax)))
    drawn = np.concatenate([rooms, taken, np.zeros((int(not at), 4))]).reshape(-1, 2)
    low, size = drawn.min(axis=0) - _MARGIN, np.ptp(drawn, axis=0) + 2 * _MARGIN
    places = "".join(_SVG["place"].format(a, b, c - a, d - b) for a, b, c, d in rooms)
    marks = {"places": places, "between": lines[0], "within": lines[1], "circles": circles, "words": words}
    faint = 0.5 if len(view.edges) < _FEW else 0.25
    return _SVG["marks"].format(**marks, halo=halo, faint=faint), (*low.tolist(), *size.tolist())


def _half(text: str, size: float) -> tuple[float, float]:
    """Return half of the width and half of the height of a text, in pixels."""
    return (len(text) + sum(letter >= _WIDE for letter in text)) * size * _LETTER / 2, size * _LINE / 2
