"""What the viewer draws: nodes with a place, relationships, legends, and what a click shows: words of the sources.

Also as a page that loads nothing from the network, and as SVG: a file, or what a page shows where no script runs. Of
the SVG only attributes of presentation are used, so it stands in a page that allows no inline style.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.organise import html_page
from kg_neo4j.organise.html_page import clean
from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, group_label, shorten
from kg_neo4j.organise.plot_layout import lay_out
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE

_SMALL, _LARGE = 0.08, 0.36  # radii, where one step of the graph is about 1
_WIDER = 1.3  # names are wider than high
GROUPINGS = ("type", "community")
QUOTES = 5  # of one node or relationship, at most
LONGEST = 600  # characters of a quote
Address = Callable[[str, int | None, int | None], str]  # of words in a chunk, by its id and their offsets
_READ = 3 * QUOTES  # rows of one entity often have one quote

# Of the still picture:
_STEP = 90.0  # pixels that one step of the graph takes
_MARGIN = 70.0
_LETTER, _LINE = 0.56, 1.2  # width of a letter and height of a line, as shares of the font size
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1))
# Of a file with this picture, in pixels, with more room for names:
_FILE_STEP, _FILE_MARGINS = 130.0, (165.0, 60.0)
_TITLE, _ROW = 84.0, 24.0  # heights of the title and of a row of the legend
_LEAST = (760.0, 480.0)  # room for a small graph
_MOST_GROUPS = 10  # in the legend
FONTS = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif"

_Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class ViewNode:
    """A node in its place; `size` is its radius, where one step of the graph is about 1, as for `x` and `y`."""

    id: str
    name: str
    type: str
    community: str  # a value of the legend of communities
    size: float
    x: float
    y: float  # grows downwards


@dataclass(frozen=True, slots=True)
class ViewEdge:
    """A relationship; no node has its id."""

    id: str
    source: str
    target: str
    type: str


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
    """All that the viewer takes, field for field, as JSON. Details are here, or one by one at an address."""

    title: str
    colour_by: str  # "type" or "community"
    total_nodes: int  # that could be drawn; those that are not among `nodes` are less connected
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    legends: Mapping[str, tuple[ViewGroup, ...]]  # by grouping, the largest group first
    details: Mapping[str, ViewDetail] = field(default_factory=dict)  # by id of a node or a relationship
    details_at: str = ""  # "/details/": the viewer fetches a ViewDetail from there, with the id added
    left_out: str = ""  # what a caption says of entities without a relationship


def view(graph: PlotGraph, colour_by: str) -> GraphView:
    """Return the view of a graph without details. Ids are "n" or "e" and the place in the graph. Deterministic."""
    degrees = np.array([max(node.degree, 1) for node in graph.nodes], dtype=np.float64)
    sizes = _SMALL + (_LARGE - _SMALL) * np.sqrt(degrees / max(degrees.max(initial=0), 6))
    points = lay_out(len(graph.nodes), [(each.source, each.target) for each in graph.relationships], sizes)
    groups = {grouping: group_colours(graph.nodes, grouping) for grouping in GROUPINGS}
    nodes = tuple(
        ViewNode(
            f"n{place}",
            node.name,
            groups["type"][0][place],
            groups["community"][0][place],
            round(float(sizes[place]), 3),
            round(float(points[place, 0]) * _WIDER, 3),
            round(-float(points[place, 1]), 3),
        )
        for place, node in enumerate(graph.nodes)
    )
    edges = tuple(
        ViewEdge(f"e{place}", f"n{each.source}", f"n{each.target}", each.type)
        for place, each in enumerate(graph.relationships)
    )
    legends = {
        name: tuple(ViewGroup(one, group_label(one, name), colour, of.count(one)) for one, colour in colours.items())
        for name, (of, colours) in groups.items()
    }
    each = "entity without a relationship is" if graph.alone == 1 else "entities without a relationship are"
    left_out = f"{graph.alone:,} {each} not drawn" if graph.alone else ""
    return GraphView(graph.name, colour_by, graph.total_nodes, nodes, edges, legends, left_out=left_out)


def read_view(database: Database, graph: PlotGraph, colour_by: str) -> GraphView:
    """Return the view of a graph with the details of each node and each relationship."""
    entities = entity_details(database, graph.name, [node.num for node in graph.nodes])
    facts = fact_details(database, graph.name, [each.fact for each in graph.relationships if each.fact])
    details = {f"n{place}": entities[node.num] for place, node in enumerate(graph.nodes) if node.num in entities}
    details |= {f"e{place}": facts[each.fact] for place, each in enumerate(graph.relationships) if each.fact in facts}
    return replace(view(graph, colour_by), details=details)


def entity_details(
    database: Database, graph: str, nums: Sequence[int], address: Address | None = None
) -> dict[int, ViewDetail]:
    """Return what there is to show of each entity, by its num; an unknown one is left out."""
    return _details(database, "analytics/plot_entity_evidence", address, graph=graph, nums=nums)


def fact_details(
    database: Database, graph: str, facts: Sequence[str], address: Address | None = None
) -> dict[str, ViewDetail]:
    """Return what there is to show of each fact, by its id; an unknown one is left out."""
    return _details(database, "analytics/plot_fact_evidence", address, graph=graph, facts=facts)


def _details(database: Database, query: str, address: Address | None, **asked: Any) -> dict[Any, ViewDetail]:
    def work(transaction: Transaction) -> dict[Any, ViewDetail]:
        rows = transaction.run(queries.get(query), **asked, quotes=_READ, hub=2_000)
        chunks = sorted({quote[0] for row in rows for quote in row["Quotes"]})
        texts = {row["id"]: row["text"] or "" for row in transaction.run(queries.get("write/chunk_texts"), ids=chunks)}
        found = {}
        for row in rows:
            quotes = _quotes(row["Quotes"], texts, address)
            found[next(iter(row.values()))] = ViewDetail(row["Description"], row["Evidence"], quotes)
        return found

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
    lines, marks, width, height = _still(view, _STEP, _MARGIN, _MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        f' aria-label="{clean(view.title)}">{lines}{marks}</svg>'
    )


def draw_file(view: GraphView) -> str:
    """Return an SVG file: the still picture on white, with a title above it and the legend at its right."""
    lines, marks, width, height = _still(view, _FILE_STEP, *_FILE_MARGINS)
    wide, high = max(width, _LEAST[0]), max(height, _LEAST[1])
    count, legend = len(view.nodes), view.legends[view.colour_by]
    nodes = f"{count} nodes" if count == view.total_nodes else f"{count} of {view.total_nodes} nodes"
    left_out = f"; {view.left_out}" if view.left_out else ""
    rows = [(group.colour, shorten(f"{group.name} {group.count}")) for group in legend[:_MOST_GROUPS]]
    if len(legend) > len(rows):
        rows.append(("none", f"and {len(legend) - len(rows)} more"))
    groups = "".join(
        f'<circle cx="0" cy="{place * _ROW:.0f}" r="6" fill="{colour}"/>'
        f'<text x="14" y="{place * _ROW + 5:.0f}">{clean(label)}</text>'
        for place, (colour, label) in enumerate(rows)
    )
    across, down = wide + 60 + 14 * _LETTER * max((len(label) for _, label in rows), default=0), high + _TITLE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}"'
        f' viewBox="0 0 {across:.0f} {down:.0f}" font-family="{FONTS}" color="#23272e" fill="#23272e">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="24" y="44" font-size="26" font-weight="bold">{clean(shorten(view.title))}</text>'
        f'<text x="24" y="70" font-size="16">{nodes}, {len(view.edges)} relationships{left_out}</text>'
        f'<g transform="translate({wide:.0f} {_TITLE:.0f})" font-size="14">{groups}</g>'
        f'<g transform="translate({(wide - width) / 2:.0f} {_TITLE + (high - height) / 2:.0f})"'
        f' stroke-width="1.5">{lines}<g stroke="white" stroke-width="3" stroke-linejoin="round" paint-order="stroke">'
        f"{marks}</g></g></svg>\n"
    )


def _still(view: GraphView, step: float, across: float, down: float) -> tuple[str, str, float, float]:
    """Return the lines of a still picture with such margins, its circles and names, its width and its height."""
    left = min((node.x for node in view.nodes), default=0.0)
    top = min((node.y for node in view.nodes), default=0.0)
    at = {node.id: ((node.x - left) * step + across, (node.y - top) * step + down) for node in view.nodes}
    width = max((x for x, _ in at.values()), default=0.0) + across
    height = max((y for _, y in at.values()), default=0.0) + down
    colours = {group.value: group.colour for group in view.legends[view.colour_by]}
    lines = "".join(
        f'<line x1="{at[edge.source][0]:.0f}" y1="{at[edge.source][1]:.0f}"'
        f' x2="{at[edge.target][0]:.0f}" y2="{at[edge.target][1]:.0f}"/>'
        for edge in view.edges
    )
    circles = "".join(
        f'<circle cx="{at[node.id][0]:.0f}" cy="{at[node.id][1]:.0f}" r="{node.size * step:.0f}"'
        f' fill="{colours[node.type if view.colour_by == "type" else node.community]}">'
        f"<title>{clean(node.name)}</title></circle>"
        for node in view.nodes
    )
    names = "".join(_names(view.nodes, at, step, (width, height)))
    marks = f'<g>{circles}</g><g fill="currentColor" text-anchor="middle">{names}</g>'
    return f'<g stroke="#8b97a5" stroke-opacity="0.6">{lines}</g>', marks, width, height


def _names(
    nodes: tuple[ViewNode, ...], at: dict[str, tuple[float, float]], step: float, paper: tuple[float, float]
) -> Iterator[str]:
    """Yield the names that have room, those of the largest nodes first; these may cover nodes."""
    circles = {node.id: _around(*at[node.id], 0.8 * node.size * step, 0.8 * node.size * step) for node in nodes}
    names: list[_Box] = []
    for place, node in enumerate(sorted(nodes, key=lambda each: -each.size)):
        text, size = shorten(node.name), 13 + 12 * node.size
        half, high, reach = len(text) * size * _LETTER / 2, size * _LINE / 2, node.size * step + 4
        x, y = at[node.id]
        spots = [(x + right * (reach + half), y + down * (reach + high)) for right, down in _SIDES]
        boxes = [_around(*spot, half, high) for spot in spots]
        free = [
            number
            for number, box in enumerate(boxes)
            if box[0] >= 0 and box[2] <= paper[0] and box[1] >= 0 and box[3] <= paper[1]
            if not any(_meet(box, other) for other in names)
        ]
        clear = [n for n in free if not any(_meet(boxes[n], c) for id, c in circles.items() if id != node.id)]
        chosen = clear or (free if place**2 < len(nodes) else [])
        if chosen:
            names.append(boxes[chosen[0]])
            x, y = spots[chosen[0]]
            yield f'<text x="{x:.0f}" y="{y + size * 0.35:.0f}" font-size="{size:.0f}">{clean(text)}</text>'


def _around(x: float, y: float, half: float, high: float) -> _Box:
    return x - half, y - high, x + half, y + high


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
