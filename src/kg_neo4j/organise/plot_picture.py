"""Draws a graph as PNG or SVG, or several side by side on one scale, with matplotlib, without a display.

Names stand beside their nodes so that no two overlap: the most connected first, and those without room are left out.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, group_label, shorten
from kg_neo4j.organise.plot_layout import Points, lay_out, pack

_INCHES = (13.0, 9.0)  # of one graph
_BOX = (0.01, 0.01, 0.82, 0.9)  # of the drawing on the paper: left, bottom, width, height; the legend is at its right
_DPI, _PANEL_DPI = 160, 92  # of a graph alone, of several
_NAMED = 12  # nodes of a panel, at most
_MOST_IN_A_ROW = 3
_INK, _LINE = "#23272e", "#9aa5b4"
_STRETCH = (1.3, 1.0)  # names are wider than high, and so is the paper
_MAX_LEGEND = 10
_MOST_TYPES = 60  # relationships of a graph whose types are written
_ALONG = (0.5, 0.4, 0.6, 0.32, 0.68)  # of a relationship's line, where its type may stand
_SMALL, _LARGE = 0.07, 0.34  # radii, where one step of the graph is about 1
# Where a name may stand: its alignment, and the direction from the node's centre in radii.
_SIDES = (
    *(("left", "center", 1, 0), ("right", "center", -1, 0), ("center", "bottom", 0, 1), ("center", "top", 0, -1)),
    *(("left", "bottom", 0.7, 0.7), ("right", "bottom", -0.7, 0.7)),
    *(("left", "top", 0.7, -0.7), ("right", "top", -0.7, -0.7)),
)
_ALWAYS = 5  # so many names are written on their nodes where there is no room beside them
_PLAIN = {"parse_math": False, "color": _INK}


def draw(graph: PlotGraph, file_format: str, colour_by: str) -> bytes:
    """Return a picture of a graph; `file_format` is "png" or "svg".

    Equal graphs give equal pictures with the same versions on one platform.
    """
    buffer = io.BytesIO()
    with _paper(1, 1, _DPI) as figure:
        _write_title(figure, graph)
        if graph.nodes:
            radii = _radii(graph, _most_connected([graph]))
            points = lay_out(len(graph.nodes), _pairs(graph), radii) * _STRETCH
            axes = _axes(figure, points, _half(points, radii))
            groups, colours = group_colours(graph.nodes, colour_by)
            circles = _draw_nodes(axes, points, radii, [colours[group] for group in groups])
            _draw_lines(axes, graph, points, circles)
            _draw_legend(axes, groups, colours, colour_by)
            _write_types(axes, graph, points, circles, _write_names(axes, graph, circles))
        metadata = {"Date": None} if file_format == "svg" else {"Software": "kg-neo4j"}
        figure.savefig(buffer, format=file_format, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()


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
    with _paper(across, down, _PANEL_DPI) as figure:
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
            _draw_legend(axes, groups, colours, "type")
            _write_names(axes, replace(graph, nodes=graph.nodes[:_NAMED]), circles)
        figure.savefig(buffer, format="png", dpi=_PANEL_DPI, metadata={"Software": "kg-neo4j"})
    return buffer.getvalue()


@contextmanager
def _paper(across: int, down: int, dpi: int) -> Iterator[Any]:
    """Give a figure with room for so many graphs; it is saved within."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: Any = {"svg.hashsalt": "kg-neo4j", "font.family": "DejaVu Sans", "path.simplify": False}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a script that the font does not have
        figure = Figure(figsize=(across * _INCHES[0], down * _INCHES[1]), dpi=dpi, facecolor="white")
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


def _draw_lines(axes: Any, graph: PlotGraph, points: Points, circles: list[Any]) -> None:
    """Draw one arrow a relationship; several between the same two nodes are bent apart, a loop is a small ring."""
    from matplotlib.patches import Circle, FancyArrowPatch

    drawn: dict[frozenset[int], int] = {}
    for each in graph.relationships:
        width = min(0.6 + 0.35 * np.log2(1 + each.evidence), 2.6)
        if each.source == each.target:
            radius = circles[each.source].radius
            place = points[each.source] + np.array([0.0, radius * 1.3])
            axes.add_patch(Circle(place, radius * 0.7, fill=False, ec=_LINE, lw=width, zorder=1))
            continue
        pair = frozenset((each.source, each.target))
        count = drawn[pair] = drawn.get(pair, 0) + 1
        bend = 0.06 if count == 1 else (0.06 + 0.1 * (count // 2)) * (1 if count % 2 else -1)
        ends: Any = {"shrinkA": _reach(circles[each.source]), "shrinkB": _reach(circles[each.target]) + 1}
        style: Any = {"arrowstyle": "-|>", "mutation_scale": 6 + width * 1.5, "connectionstyle": f"arc3,rad={bend}"}
        line: Any = {"lw": width, "color": _LINE, "alpha": 0.55, "zorder": 1}
        axes.add_patch(FancyArrowPatch(points[each.source], points[each.target], **ends, **style, **line))


def _draw_legend(axes: Any, groups: list[str], colours: dict[str, str], colour_by: str) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for group in list(colours)[:_MAX_LEGEND]:
        label = f"{group_label(group, colour_by)}  {groups.count(group)}"
        handles.append(Line2D([], [], ls="", marker="o", ms=9, mfc=colours[group], mec="white", label=label))
    if len(colours) > len(handles):
        handles.append(Line2D([], [], ls="", label=f"and {len(colours) - len(handles)} more"))
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    for text in axes.legend(handles=handles, fontsize=9.5, labelcolor=_INK, **beside).get_texts():
        text.set_parse_math(False)


def _write_types(axes: Any, graph: PlotGraph, points: Points, circles: list[Any], names: list[Any]) -> None:
    """Write the types of the relationships of a small graph on their lines, as far as there is room."""
    from matplotlib.patheffects import withStroke

    if len(graph.relationships) > _MOST_TYPES:
        return
    taken = [*names, *(circle.get_window_extent() for circle in circles)]
    around = [withStroke(linewidth=1.8, foreground="white", alpha=0.9)]
    style = {"fontsize": 6.5, "fontstyle": "italic", "ha": "center", "va": "center", "zorder": 4, **_PLAIN}
    for each in graph.relationships:
        start, end = points[each.source], points[each.target]
        text = axes.text(0, 0, each.type.replace("_", " ").lower(), path_effects=around, **style)
        for share in _ALONG if each.source != each.target else ():
            text.set_position(tuple(start + (end - start) * share))
            extent = text.get_window_extent()
            if not extent.count_overlaps(taken):
                taken.append(extent)
                break
        else:
            text.remove()


def _write_names(axes: Any, graph: PlotGraph, circles: list[Any]) -> list[Any]:
    """Write as many names as fit, in descending order of degree, clear of names and nodes; return their places."""
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
    return names
