"""A tree as SVG: one band for each aspect, a circle for each summary, the leaves as a strip. Pure.

Whoever rests the pointer on a node reads its text. The same tree gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from kg_neo4j.organise.plot_graph import PALETTE
from kg_neo4j.organise.tree.picture_layout import (
    DETAIL,
    DETAILS,
    LEAF,
    LEAVES,
    LEFT,
    RIGHT,
    STRIP,
    SUMMARY,
    WIDTH,
    Band,
    Layout,
    PictureNode,
    TreePicture,
    lay_out,
)

MOST_LINES = 1_500  # from the first level of a band to leaves; more of them would be a grey surface
LONGEST_NAME = 18  # characters of an aspect beside its band
SHORT = 160  # characters of a leaf that its title shows
GREY, INK = "#9aa0a6", "#222222"

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
