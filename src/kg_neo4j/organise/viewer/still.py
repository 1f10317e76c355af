"""A view as a page that loads nothing from the network, and as SVG: what a page shows where no script runs. Pure.

Of the SVG only attributes of presentation are used, so it stands in a page that allows no inline style.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from kg_neo4j.organise import html_page
from kg_neo4j.organise.html_page import clean
from kg_neo4j.organise.plot_graph import shorten
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE
from kg_neo4j.organise.viewer.view import GraphView, ViewNode

_STEP = 90.0  # pixels that one step of the graph takes
_MARGIN = 70.0
_LETTER, _LINE = 0.56, 1.2  # width of a letter and height of a line, as shares of the font size
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1))

_Box = tuple[float, float, float, float]  # left, top, right, bottom


def page(shown: GraphView) -> str:
    """Return the page. Names and quotes are data in it, never markup. Without a script it is a still picture."""
    script, style = (file.read_text(encoding="utf-8") for file in (SCRIPT_FILE, STYLE_FILE))
    viewer = f'<div class="kg-viewer" data-inline="kg-graph">\n{draw(shown)}\n</div>'
    body = f"<main>\n<h1>{clean(shown.title)}</h1>\n{viewer}\n</main>"
    return html_page.compose(shown.title, body, asdict(shown), "kg-graph", style, script, body_class="kg-plot")


def draw(view: GraphView) -> str:
    """Return an svg element: every node with its name as its title, and as many names next to them as fit."""
    left = min((node.x for node in view.nodes), default=0.0)
    top = min((node.y for node in view.nodes), default=0.0)
    at = {node.id: ((node.x - left) * _STEP + _MARGIN, (node.y - top) * _STEP + _MARGIN) for node in view.nodes}
    width = max((x for x, _ in at.values()), default=0.0) + _MARGIN
    height = max((y for _, y in at.values()), default=0.0) + _MARGIN
    colours = {group.value: group.colour for group in view.legends[view.colour_by]}
    lines = "".join(
        f'<line x1="{at[edge.source][0]:.0f}" y1="{at[edge.source][1]:.0f}"'
        f' x2="{at[edge.target][0]:.0f}" y2="{at[edge.target][1]:.0f}"/>'
        for edge in view.edges
    )
    circles = "".join(
        f'<circle cx="{at[node.id][0]:.0f}" cy="{at[node.id][1]:.0f}" r="{node.size * _STEP:.0f}"'
        f' fill="{colours[node.type if view.colour_by == "type" else node.community]}">'
        f"<title>{clean(node.name)}</title></circle>"
        for node in view.nodes
    )
    names = "".join(_names(view.nodes, at, width, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        f' aria-label="{clean(view.title)}"><g stroke="#8b97a5" stroke-opacity="0.6">{lines}</g>'
        f'<g>{circles}</g><g fill="currentColor" text-anchor="middle">{names}</g></svg>'
    )


def _names(
    nodes: tuple[ViewNode, ...], at: dict[str, tuple[float, float]], width: float, height: float
) -> Iterator[str]:
    """Yield the names that have room, those of the largest nodes first; these may cover nodes."""
    circles = {node.id: _around(*at[node.id], 0.8 * node.size * _STEP, 0.8 * node.size * _STEP) for node in nodes}
    names: list[_Box] = []
    for place, node in enumerate(sorted(nodes, key=lambda each: -each.size)):
        text, size = shorten(node.name), 13 + 12 * node.size
        half, high, reach = len(text) * size * _LETTER / 2, size * _LINE / 2, node.size * _STEP + 4
        x, y = at[node.id]
        spots = [(x + right * (reach + half), y + down * (reach + high)) for right, down in _SIDES]
        boxes = [_around(*spot, half, high) for spot in spots]
        free = [
            number
            for number, box in enumerate(boxes)
            if box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height
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
