"""kg plot: a picture of the graph, the first thing that one shows to others."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path

from kg_neo4j.display import Readable
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import whole
from kg_neo4j.organise.plot_graph import read_graph
from kg_neo4j.organise.viewer.view import FONTS, GROUPINGS, draw_file, draw_page, read_view, view

_SUFFIXES = (".png", ".svg", ".html")
_WIDTH = 2_080  # pixels of a PNG, at least
_LETTERS = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="{}">{}</text></svg>'


@dataclass(frozen=True, slots=True)
class PlotReport(Readable):
    """What was drawn, and where."""

    path: Path | None
    nodes: int
    relationships: int
    left_out: int  # entities without a relationship
    caption: str  # what is shown, and why


@dataclass(frozen=True, slots=True)
class DrawnGraph(PlotReport):
    """A picture that was written into no file: a notebook shows its page."""

    page: str = field(default="", repr=False)


def plot(
    database: Database, graph: str, target: Path | None, *, colour_by: str = "type", limit: int = 150
) -> PlotReport:
    """Draw the `limit` most connected nodes of `graph` (>= 1, default 150: more cannot be read) into `target`.

    The extension decides: .png and .svg are one picture. .html is a page with a viewer: it can be moved and searched, a
    click shows quotes, and it needs no network. `colour_by` is "type" or "community". The caption counts entities
    without a relationship, which are not drawn. An existing file is replaced once the new one is whole. Without a
    target the page is in the result, a DrawnGraph.

    Raises UsageError for another extension, a missing library, a folder that does not exist, a graph without a
    relationship, and for a PNG where the machine has no font.
    """
    suffix = _check(target or Path("graph.html"), colour_by, limit)
    data = read_graph(database, graph, limit)
    if not data.nodes:
        why, hint = "is empty", f"kg load FILE --graph {graph}"
        if data.alone:
            why, hint = "has no relationship", "`kg search` finds its entities"
        raise UsageError(f"the graph {graph!r} {why}: there is nothing to draw", hint=hint)
    if suffix == ".html":
        content = draw_page(read_view(database, data, colour_by)).encode("utf-8")
    else:
        picture = draw_file(view(data, colour_by))
        content = as_png(picture) if suffix == ".png" else picture.encode("utf-8")
    drawn = (target, len(data.nodes), len(data.relationships), data.alone, data.caption())
    if target is None:
        return DrawnGraph(*drawn, page=content.decode("utf-8"))
    write_whole(target, content)
    return PlotReport(*drawn)


def as_png(picture: str, *, system_fonts: bool = True) -> bytes:
    """Return an SVG file as PNG, drawn with the fonts of the machine; UsageError where it has none for names."""
    import resvg_py

    def drawn(svg: str, width: int) -> bytes:
        return resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=not system_fonts)

    if drawn(_LETTERS.format(FONTS, "A"), 9) == drawn(_LETTERS.format(FONTS, ""), 9):
        raise UsageError(
            "this machine has no font, so a PNG would have no names",
            hint="install a font, such as DejaVu Sans, or name a file that ends in .svg or .html",
        )
    width = int(picture.partition('width="')[2].partition('"')[0])
    return drawn(picture, max(_WIDTH, width))


def _check(target: Path, colour_by: str, limit: int) -> str:
    suffix = target.suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(f"cannot draw into {target.name!r}", hint="name a .png, .svg or .html file, not an entity")
    if colour_by not in GROUPINGS:
        raise UsageError(f"nodes are coloured by {' or '.join(GROUPINGS)}, not by {colour_by!r}")
    if limit < 1:
        raise UsageError(f"a picture needs at least one node, not {limit}")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")
    if suffix == ".png" and importlib.util.find_spec("resvg_py") is None:
        raise UsageError("drawing .png needs resvg-py, which is not installed", hint="pip install 'kg-neo4j[plot]'")
    return suffix


def write_whole(target: Path, content: bytes) -> None:
    """Write next to the target, then rename, so that half a picture is never visible."""
    with whole(target) as partial:
        partial.write_bytes(content)
