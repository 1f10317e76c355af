"""Draws graphs side by side on one scale as PNG, with matplotlib, without a display.

Names stand beside their nodes so that no two overlap: the most connected first, and those without room are left out.
"""

from __future__ import annotations

import importlib.util
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.plot import write_whole
from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, read_graph, shorten
from kg_neo4j.organise.plot_layout import Points
from kg_neo4j_lab.packing import pack

_MOST = 2_000  # nodes of a panel
_INCHES = (13.0, 9.0)  # of one graph
_BOX = (0.01, 0.01, 0.82, 0.9)  # of the drawing on the paper: left, bottom, width, height; the legend is at its right
_DPI = 92
_NAMED = 12  # of them, at most
_MOST_IN_A_ROW = 3
_INK, _LINE = "#23272e", "#9aa5b4"
_MAX_LEGEND = 10
_SMALL, _LARGE = 0.07, 0.34  # radii, where one step of the graph is about 1
# Where a name may stand: its alignment, and the direction from the node's centre in radii.
_SIDES = (
    *(("left", "center", 1, 0), ("right", "center", -1, 0), ("center", "bottom", 0, 1), ("center", "top", 0, -1)),
    *(("left", "bottom", 0.7, 0.7), ("right", "bottom", -0.7, 0.7)),
    *(("left", "top", 0.7, -0.7), ("right", "top", -0.7, -0.7)),
)
_ALWAYS = 5  # so many names are written on their nodes where there is no room beside them
_PLAIN = {"parse_math": False, "color": _INK}


def plot_side_by_side(database: Database, graphs: Sequence[tuple[str, str]], target: Path) -> None:
    """Draw whole graphs, given as (title, name), into one PNG, on one scale: a larger graph takes more room.

    Of a graph with more than 2000 nodes the most connected ones are drawn. An empty graph gets an empty panel. Raises
    UsageError as `check` does, and where there is no graph to draw.
    """
    check(target)
    if not graphs:
        raise UsageError("there are no graphs to draw side by side")
    panels = [replace(read_graph(database, name, _MOST, alone=True), name=title) for title, name in graphs]
    write_whole(target, draw_side_by_side(panels))


def check(target: Path) -> None:
    """Raise UsageError for another file than a PNG, a folder that does not exist, and where matplotlib is missing."""
    if target.suffix.lower() != ".png":
        raise UsageError(f"cannot draw several graphs into {target.name!r}", hint="name a file that ends in .png")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("drawing .png needs matplotlib, which is not installed", hint="pip install 'kg-neo4j[lab]'")


def draw_side_by_side(graphs: Sequence[PlotGraph]) -> bytes:
    """Return a PNG of one or more graphs, row by row, at most three in a row, all on one scale.

    Nodes of one degree have one size, and a graph with more nodes takes more of its panel. Lines are plain, and few
    nodes have names. Equal graphs give equal pictures with the same versions on one platform.
    """
    from matplotlib.collections import EllipseCollection, LineCollection

    across = min(len(graphs), _MOST_IN_A_ROW if len(graphs) != 4 else 2)
    down = -(-len(graphs) // across)
    most = _most_connected(graphs)
    radii = [_radii(graph, most) for graph in graphs]
    width = _INCHES[0] * _BOX[2] / (_INCHES[1] * _BOX[3])
    points = [pack(len(graph.nodes), _pairs(graph), each, width) for graph, each in zip(graphs, radii, strict=True)]
    halves = [_half(places, each) for places, each in zip(points, radii, strict=True) if len(places)]
    half = np.max([*halves, np.ones(2)], axis=0)
    buffer = io.BytesIO()
    with _paper(across, down) as figure:
        panels = list(figure.subfigures(down, across, squeeze=False).flat)
        for place, graph in enumerate(graphs):
            _write_title(panels[place], graph)
            if not graph.nodes:
                continue
            axes = _axes(panels[place], points[place], half)
            groups, colours = group_colours(graph.nodes, "type")
            filled = [colours[group] for group in groups]
            circles = _draw_nodes(axes, points[place][:_NAMED], radii[place][:_NAMED], filled)
            sizes = 2 * radii[place][_NAMED:]
            at = {"offsets": points[place][_NAMED:], "offset_transform": axes.transData, "units": "xy"}
            others = EllipseCollection(sizes, sizes, 0 * sizes, **at, fc=filled[_NAMED:], ec="white", lw=0.6, zorder=2)
            axes.add_collection(others)
            ends = points[place][np.array(_pairs(graph), np.int64).reshape(-1, 2)]
            axes.add_collection(LineCollection(list(ends), colors=_LINE, linewidths=0.8, alpha=0.7, zorder=1))
            _draw_legend(axes, groups, colours)
            _write_names(axes, replace(graph, nodes=graph.nodes[:_NAMED]), circles)
        figure.savefig(buffer, format="png", dpi=_DPI, metadata={"Software": "kg-neo4j"})
    return buffer.getvalue()


@contextmanager
def _paper(across: int, down: int) -> Iterator[Any]:
    """Give a figure with room for so many graphs; it is saved within."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: Any = {"font.family": "DejaVu Sans", "path.simplify": False}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a script that the font does not have
        figure = Figure(figsize=(across * _INCHES[0], down * _INCHES[1]), dpi=_DPI, facecolor="white")
        FigureCanvasAgg(figure)
        yield figure


def _write_title(panel: Any, graph: PlotGraph) -> None:
    drawn, total = len(graph.nodes), graph.total_nodes
    nodes = f"{drawn} nodes" if drawn == total else f"{drawn} of {total} nodes"
    panel.text(0.02, 0.965, graph.name, fontsize=17, fontweight="bold", va="center", **_PLAIN)
    panel.text(0.02, 0.932, f"{nodes}, {len(graph.relationships)} relationships", fontsize=10.5, va="center", **_PLAIN)


def _pairs(graph: PlotGraph) -> list[tuple[int, int]]:
    return [(each.source, each.target) for each in graph.relationships]


def _most_connected(graphs: Sequence[PlotGraph]) -> int:
    """Return the degree that has the largest circle."""
    return max(6, *(node.degree for graph in graphs for node in graph.nodes[:1]), 0)


def _radii(graph: PlotGraph, most: int) -> Points:
    degrees = np.array([max(node.degree, 1) for node in graph.nodes], dtype=np.float64)
    radii: Points = _SMALL + (_LARGE - _SMALL) * np.sqrt(degrees / most)
    return radii


def _half(points: Points, radii: Points) -> Points:
    """Return half of the width and the height that a graph needs, in the paper's shape."""
    low, high = (points - radii[:, None]).min(axis=0), (points + radii[:, None]).max(axis=0)
    shape = np.array(_INCHES) * _BOX[2:]
    half: Points = shape * (((high - low) * 1.05 + (1.5, 0.5)) / shape).max() / 2  # with room for the outermost names
    return half


def _axes(panel: Any, points: Points, half: Points) -> Any:
    """Return axes with `points` in the middle, twice `half` wide and high."""
    axes = panel.add_axes(_BOX)
    axes.set_axis_off()
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    axes.set(xlim=(centre[0] - half[0], centre[0] + half[0]), ylim=(centre[1] - half[1], centre[1] + half[1]))
    return axes


def _draw_nodes(axes: Any, points: Points, radii: Points, colours: list[str]) -> list[Any]:
    """Draw circles, the most connected on top, and return them."""
    from matplotlib.patches import Circle

    circles = []
    for place, (point, radius) in enumerate(zip(points, radii, strict=True)):
        circle = Circle(tuple(point), radius, fc=colours[place], ec="white", lw=1.1, zorder=3 - place / 1e6)
        circles.append(axes.add_patch(circle))
    return circles


def _reach(circle: Any) -> float:
    """Return a circle's radius in typographic points."""
    return float(circle.get_window_extent().width) / 2 * 72 / float(circle.figure.dpi)


def _draw_legend(axes: Any, groups: list[str], colours: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for group in list(colours)[:_MAX_LEGEND]:
        label = f"{group}  {groups.count(group)}"
        handles.append(Line2D([], [], ls="", marker="o", ms=9, mfc=colours[group], mec="white", label=label))
    if len(colours) > len(handles):
        handles.append(Line2D([], [], ls="", label=f"and {len(colours) - len(handles)} more"))
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    for text in axes.legend(handles=handles, fontsize=9.5, labelcolor=_INK, **beside).get_texts():
        text.set_parse_math(False)


def _write_names(axes: Any, graph: PlotGraph, circles: list[Any]) -> None:
    """Write as many names as fit, in descending order of degree, clear of names and nodes."""
    from matplotlib.patheffects import withStroke

    extents = [circle.get_window_extent() for circle in circles]
    around = [withStroke(linewidth=2.2, foreground="white", alpha=0.9)]
    names: list[Any] = []
    highest = max(node.degree for node in graph.nodes)
    for place, (node, circle) in enumerate(zip(graph.nodes, circles, strict=True)):
        font = 7.2 + 5.3 * np.sqrt(node.degree / max(highest, 1))
        style = {"fontsize": font, "fontweight": "bold" if place < 3 else "normal", "path_effects": around, "zorder": 5}
        text = axes.annotate(shorten(node.name), circle.center, (0, 0), textcoords="offset points", **style, **_PLAIN)
        away = _reach(circle) + 1.5
        others = [extent.shrunk(0.85, 0.85) for extent in extents[:place] + extents[place + 1 :]]
        sides = [(*side, names + others) for side in _SIDES]
        if place < _ALWAYS:
            sides.append(("center", "center", 0, 0, names))
        for across, up, right, high, taken in sides:
            text.set(ha=across, va=up, position=(right * away, high * away))
            extent = text.get_window_extent().padded(1)
            if not extent.count_overlaps(taken) and axes.bbox.containsx(extent.x0) and axes.bbox.containsx(extent.x1):
                names.append(extent)
                break
        else:
            text.remove()
