"""kg plot: a picture of the graph, the first thing that one shows to others."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import plot_picture
from kg_neo4j.organise.plot_graph import read_graph
from kg_neo4j.organise.viewer.view import draw_page, read_view

COLOUR_BY = ("type", "community")
MOST_OF_A_PANEL = 2_000  # nodes
_PAGE = ".html"
_SUFFIXES = (".png", ".svg", _PAGE)


@dataclass(frozen=True, slots=True)
class PlotReport:
    """What was drawn, and where."""

    path: Path
    nodes: int
    relationships: int


def plot(database: Database, graph: str, target: Path, *, colour_by: str = "type", limit: int = 150) -> PlotReport:
    """Draw the `limit` most connected nodes of `graph` (>= 1, default 150: more cannot be read) into `target`.

    The extension decides: .png and .svg are pictures. .html is a page with a viewer: it can be moved and searched, a
    click shows quotes, and it needs no network. `colour_by` is "type" or "community". An existing file is replaced once
    the new one is whole.

    Raises UsageError for another extension, a missing library, a folder that does not exist, or an empty graph.
    """
    suffix = _check(target, colour_by, limit)
    data = read_graph(database, graph, limit)
    if not data.nodes:
        raise UsageError(
            f"the graph {graph!r} is empty: there is nothing to draw", hint=f"kg load FILE --graph {graph}"
        )
    if suffix == _PAGE:
        content = draw_page(read_view(database, data, colour_by)).encode("utf-8")
    else:
        content = plot_picture.draw(data, suffix[1:], colour_by)
    write_whole(target, content)
    return PlotReport(target, len(data.nodes), len(data.relationships))


def plot_side_by_side(database: Database, graphs: Sequence[tuple[str, str]], target: Path) -> None:
    """Draw whole graphs, given as (title, name), into one PNG, on one scale: a larger graph takes more room.

    Of a graph with more than 2000 nodes the most connected ones are drawn. An empty graph gets an empty panel. Raises
    UsageError as `plot` does, and where there is no graph to draw.
    """
    check_side_by_side(target)
    if not graphs:
        raise UsageError("there are no graphs to draw side by side")
    panels = [replace(read_graph(database, name, MOST_OF_A_PANEL, alone=True), name=title) for title, name in graphs]
    write_whole(target, plot_picture.draw_side_by_side(panels))


def check_side_by_side(target: Path) -> None:
    """Raise the UsageError that `plot_side_by_side` would raise for this file, before there is anything to draw."""
    if target.suffix.lower() != ".png":
        raise UsageError(f"cannot draw several graphs into {target.name!r}", hint="name a file that ends in .png")
    _check(target, "type", 1)


def _check(target: Path, colour_by: str, limit: int) -> str:
    suffix = target.suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(f"cannot draw into {target.name!r}", hint="name a file that ends in .png, .svg or .html")
    if colour_by not in COLOUR_BY:
        raise UsageError(f"nodes are coloured by {' or '.join(COLOUR_BY)}, not by {colour_by!r}")
    if limit < 1:
        raise UsageError(f"a picture needs at least one node, not {limit}")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")
    if suffix != _PAGE and importlib.util.find_spec("matplotlib") is None:
        raise UsageError(
            f"drawing {suffix} needs matplotlib, which is not installed", hint="pip install 'kg-neo4j[plot]'"
        )
    return suffix


def write_whole(target: Path, content: bytes) -> None:
    """Write next to the target, then rename, so that half a picture is never visible."""
    partial = target.with_name(f".{target.name}.part")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(f"cannot write {target}: {error.strerror}", hint="choose another place") from error
