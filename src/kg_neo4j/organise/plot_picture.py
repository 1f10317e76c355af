"""Draws a PlotGraph as PNG or SVG with matplotlib, without a display; several side by side as PNG.

Names stand beside their nodes so that no two overlap: the most connected first, and those without room are left out.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, group_label
from kg_neo4j.organise.plot_layout import Points, lay_out

_WIDTH, _HEIGHT = 8.0, 5.54  # inches of a panel among several: the shape of a picture by itself
_PANEL_DPI = 150
_MOST_IN_A_ROW = 3
_INCHES = (13.0, 9.0)
_BOX = (0.01, 0.01, 0.98, 0.9)  # of the drawing on the paper: left, bottom, width, height
_DPI = 160
_INK = "#23272e"
_LINE = "#9aa5b4"
_MAX_LEGEND = 10
_ALWAYS = 5  # so many names are written on their nodes where there is no room beside them
_MAX_CHARS = 34
_SMALL, _LARGE = 0.07, 0.34  # radii, where one step of the graph is about 1


def draw(graph: PlotGraph, file_format: str, colour_by: str) -> bytes:
    """Return the picture as bytes; `file_format` is "png" or "svg".

    Equal graphs give equal pictures with the same versions on one platform.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    radii = _radii(graph)
    points = lay_out(len(graph.nodes), [(each.source, each.target) for each in graph.relationships], radii)
    points = _fit(points, radii)
    settings: Any = {"svg.hashsalt": "kg-neo4j", "font.family": "DejaVu Sans", "path.simplify": False}
    buffer = io.BytesIO()
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a script that the font does not have
        figure = Figure(figsize=_INCHES, dpi=_DPI, facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.add_axes(_BOX)
        _frame(axes, points, radii)
        _draw_lines(axes, graph, points, radii)
        groups, colours = group_colours(graph.nodes, colour_by)
        _draw_nodes(axes, points, radii, [colours[group] for group in groups])
        _draw_heading(figure, graph)
        legend = _draw_legend(axes, groups, colours, colour_by)
        place_labels(figure, axes, graph, points, radii, legend)
        metadata = {"Date": None} if file_format == "svg" else {"Software": "kg-neo4j"}
        figure.savefig(buffer, format=file_format, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()


def _radii(graph: PlotGraph) -> Points:
    """Return radii whose areas grow with the degree."""
    degrees = np.array([max(node.degree, 1) for node in graph.nodes], dtype=np.float64)
    share = np.sqrt(degrees / degrees.max()) if degrees.max() > 1 else np.full(len(degrees), 0.4)
    crowd = min(1.0, np.sqrt(60 / len(degrees)))
    radii: Points = (_SMALL + (_LARGE - _SMALL) * share) * (0.75 + 0.25 * crowd)
    return radii


def _fit(points: Points, radii: Points) -> Points:
    """Stretch the layout a little towards the shape of the paper, at most by 1.5."""
    extent = np.ptp(points, axis=0) + 4 * radii.max()
    ratio = (_INCHES[0] * _BOX[2]) / (_INCHES[1] * _BOX[3]) / (extent[0] / extent[1])
    stretch = float(np.clip(ratio, 1 / 1.5, 1.5))
    scaled: Points = points * (np.array([stretch, 1.0]) if stretch > 1 else np.array([1.0, 1 / stretch]))
    return scaled


def _frame(axes: Any, points: Points, radii: Points) -> None:
    """Set limits that show everything, with room for the outermost names, one unit as long up as across."""
    low = (points - radii[:, None]).min(axis=0)
    high = (points + radii[:, None]).max(axis=0)
    size = (high - low) * np.array([1.14, 1.05]) + np.array([1.2, 0.5])
    paper = np.array([_INCHES[0] * _BOX[2], _INCHES[1] * _BOX[3]])
    half = paper * float((size / paper).max()) / 2
    centre = (low + high) / 2
    axes.set_axis_off()
    axes.set_xlim(centre[0] - half[0], centre[0] + half[0])
    axes.set_ylim(centre[1] - half[1], centre[1] + half[1])


def _draw_lines(axes: Any, graph: PlotGraph, points: Points, radii: Points) -> None:
    """Draw one arrow a relationship; several between the same two nodes are bent apart, a loop is a small ring."""
    from matplotlib.patches import Circle, FancyArrowPatch

    drawn: dict[tuple[int, int], int] = {}
    scale = _points_per_unit(axes)
    for each in graph.relationships:
        width = min(0.6 + 0.35 * np.log2(1 + each.evidence), 2.6)
        if each.source == each.target:
            place = points[each.source] + np.array([0.0, radii[each.source] * 1.3])
            axes.add_patch(Circle(place, radii[each.source] * 0.7, fill=False, ec=_LINE, lw=width, zorder=1))
            continue
        pair = (min(each.source, each.target), max(each.source, each.target))
        count = drawn[pair] = drawn.get(pair, 0) + 1
        bend = 0.06 if count == 1 else (0.06 + 0.1 * (count // 2)) * (1 if count % 2 else -1)
        axes.add_patch(
            FancyArrowPatch(
                tuple(points[each.source]),
                tuple(points[each.target]),
                arrowstyle="-|>",
                mutation_scale=6 + width * 1.5,
                shrinkA=float(radii[each.source] * scale),
                shrinkB=float(radii[each.target] * scale) + 1,
                connectionstyle=f"arc3,rad={bend}",
                lw=width,
                color=_LINE,
                alpha=0.55,
                zorder=1,
            )
        )


def _points_per_unit(axes: Any) -> float:
    """Return how many typographic points one unit of the data is long."""
    ends = axes.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    return float(ends[1][0] - ends[0][0]) * 72 / float(axes.figure.dpi)


def _draw_nodes(axes: Any, points: Points, radii: Points, colours: list[str]) -> None:
    from matplotlib.patches import Circle

    for place in range(len(points) - 1, -1, -1):
        order = 2 + 1 / (place + 1)  # the most connected on top
        axes.add_patch(Circle(tuple(points[place]), radii[place], fc=colours[place], ec="white", lw=1.1, zorder=order))


def _draw_heading(figure: Any, graph: PlotGraph) -> None:
    drawn, total = len(graph.nodes), graph.total_nodes
    nodes = f"{drawn} nodes" if drawn == total else f"{drawn} of {total} nodes"
    plain = {"parse_math": False}
    figure.text(0.02, 0.965, graph.name, fontsize=17, fontweight="bold", color=_INK, va="center", **plain)
    text = f"{nodes}, {len(graph.relationships)} relationships"
    figure.text(0.02, 0.932, text, fontsize=10.5, color="#5b6470", va="center", **plain)


def _draw_legend(axes: Any, groups: list[str], colours: dict[str, str], colour_by: str) -> Any:
    from matplotlib.lines import Line2D

    shown = list(colours)[:_MAX_LEGEND]
    labels = [f"{group_label(group, colour_by)}  {groups.count(group)}" for group in shown]
    handles = [
        Line2D([], [], ls="", marker="o", ms=9, mfc=colours[group], mec="white", label=label)
        for group, label in zip(shown, labels, strict=True)
    ]
    if len(colours) > len(shown):
        handles.append(Line2D([], [], ls="", label=f"and {len(colours) - len(shown)} more"))
    legend = axes.legend(
        handles=handles,
        loc="lower right",
        fontsize=9.5,
        frameon=True,
        framealpha=0.92,
        edgecolor="#d5d9df",
        labelcolor=_INK,
        borderpad=0.8,
        handletextpad=0.3,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the canvas, in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, others: Points) -> float:
        """Return the area shared with rectangles of shape (n, 4)."""
        if not len(others):
            return 0.0
        width = np.minimum(self.right, others[:, 2]) - np.maximum(self.left, others[:, 0])
        height = np.minimum(self.top, others[:, 3]) - np.maximum(self.bottom, others[:, 1])
        return float((np.maximum(width, 0) * np.maximum(height, 0)).sum())

    def row(self) -> tuple[float, float, float, float]:
        """Return the four numbers."""
        return self.left, self.bottom, self.right, self.top


def shorten(name: str) -> str:
    """Return a name that fits beside a node: white space collapsed, at most 34 characters."""
    text = " ".join(name.split())
    return text if len(text) <= _MAX_CHARS else text[: _MAX_CHARS - 1].rstrip() + "…"


def place_labels(
    figure: Any,
    axes: Any,
    graph: PlotGraph,
    points: Points,
    radii: Points,
    legend: Any,
) -> None:
    """Write as many names as fit, in descending order of degree; every name keeps clear of names, nodes and legend."""
    renderer = figure.canvas.get_renderer()
    pixels = axes.transData.transform(points)
    reach = axes.transData.transform(points + np.column_stack([radii, np.zeros(len(radii))]))[:, 0] - pixels[:, 0]
    circles = np.column_stack([pixels - reach[:, None] * 0.85, pixels + reach[:, None] * 0.85])
    extent = legend.get_window_extent(renderer)
    taken = [(extent.x0, extent.y0, extent.x1, extent.y1)]
    canvas = figure.bbox
    highest = max(node.degree for node in graph.nodes)
    for place, node in enumerate(graph.nodes):
        size = 7.2 + 5.3 * np.sqrt(node.degree / max(highest, 1))
        text = axes.text(
            0, 0, shorten(node.name), fontsize=size, color=_INK, zorder=5, parse_math=False, ha="left", va="bottom",
            fontweight="bold" if place < 3 else "normal", transform=None,
        )  # fmt: skip
        bounds = text.get_window_extent(renderer)
        others = np.array([*taken, *np.delete(circles, place, axis=0)])
        box = _find_box(pixels[place], reach[place], (bounds.width, bounds.height), others, canvas)
        if box is None and place < _ALWAYS:
            box = _on_node(pixels[place], (bounds.width, bounds.height), np.array(taken))
        if box is None:
            text.remove()
            continue
        text.set_position((box.left, box.bottom))
        _outline(text)
        taken.append(box.row())


def _on_node(centre: Points, size: tuple[float, float], names: Points) -> Box | None:
    """Return the rectangle on the node itself, where no other name stands."""
    left, bottom = float(centre[0]) - size[0] / 2, float(centre[1]) - size[1] / 2
    box = Box(left, bottom, left + size[0], bottom + size[1])
    return box if box.overlap(names) == 0 else None


def _find_box(
    centre: Points,
    reach: float,
    size: tuple[float, float],
    others: Points,
    canvas: Any,
) -> Box | None:
    """Return the first free rectangle around a node, or None: right, left, above, below, then the corners."""
    width, height = size
    x, y = float(centre[0]), float(centre[1])
    near = reach + 3
    slant = reach * 0.72 + 1
    corners = (
        (x + near, y - height / 2),
        (x - near - width, y - height / 2),
        (x - width / 2, y + near),
        (x - width / 2, y - near - height),
        (x + slant, y + slant),
        (x - slant - width, y + slant),
        (x + slant, y - slant - height),
        (x - slant - width, y - slant - height),
    )
    for left, bottom in corners:
        box = Box(left, bottom, left + width, bottom + height)
        inside = box.left > 2 and box.right < canvas.width - 2 and box.bottom > 2 and box.top < canvas.height * 0.915
        if inside and box.overlap(others) == 0:
            return box
    return None


def _outline(text: Any) -> None:
    from matplotlib import patheffects

    text.set_path_effects([patheffects.withStroke(linewidth=2.2, foreground="white", alpha=0.9)])


@dataclass(frozen=True, slots=True)
class Panel:
    """One graph and what stands above it."""

    title: str
    graph: PlotGraph  # may be empty: then the panel says so


def draw_panels(panels: Sequence[Panel], colour_by: str) -> bytes:
    """Return a PNG with all panels (one or more), row by row, at most three in a row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = min(len(panels), _MOST_IN_A_ROW if len(panels) != 4 else 2)
    down = -(-len(panels) // across)
    figure = Figure(figsize=(across * _WIDTH, down * _HEIGHT), dpi=_PANEL_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    for place, panel in enumerate(panels):
        left, row = place % across, place // across
        axes = figure.add_axes((left / across, 1 - (row + 1) / down, 1 / across, 1 / down))
        axes.set_axis_off()
        _fill(axes, panel, colour_by)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_PANEL_DPI, metadata={"Software": "kg-neo4j"})
    return buffer.getvalue()


def _fill(axes: Any, panel: Panel, colour_by: str) -> None:
    if panel.graph.nodes:
        from matplotlib.image import imread

        picture = draw(replace(panel.graph, name=panel.title), "png", colour_by)
        axes.imshow(imread(io.BytesIO(picture), format="png"), aspect="auto", interpolation="hanning")
        return
    plain = {"parse_math": False, "transform": axes.transAxes}
    axes.text(0.02, 0.965, panel.title, fontsize=11, fontweight="bold", va="center", **plain)
    axes.text(0.5, 0.5, "no nodes", fontsize=11, ha="center", va="center", **plain)
