"""Several pictures on one sheet, side by side, under their own titles."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j.organise import plot_picture
from kg_neo4j.organise.plot_graph import PlotGraph

_WIDTH, _HEIGHT = 8.0, 5.54  # inches of a panel: the shape of a picture by itself
_DPI = 150
_MOST_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Panel:
    """One graph and what stands above it."""

    title: str
    graph: PlotGraph  # may be empty: then the panel says so


def draw(panels: Sequence[Panel], colour_by: str) -> bytes:
    """Return a PNG with all panels (one or more), row by row, at most three in a row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = min(len(panels), _MOST_IN_A_ROW if len(panels) != 4 else 2)
    down = -(-len(panels) // across)
    figure = Figure(figsize=(across * _WIDTH, down * _HEIGHT), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    for place, panel in enumerate(panels):
        left, row = place % across, place // across
        axes = figure.add_axes((left / across, 1 - (row + 1) / down, 1 / across, 1 / down))
        axes.set_axis_off()
        _fill(axes, panel, colour_by)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI, metadata={"Software": "kg-neo4j"})
    return buffer.getvalue()


def _fill(axes: Any, panel: Panel, colour_by: str) -> None:
    if panel.graph.nodes:
        from matplotlib.image import imread

        picture = plot_picture.draw(replace(panel.graph, name=panel.title), "png", colour_by)
        axes.imshow(imread(io.BytesIO(picture), format="png"), aspect="auto", interpolation="hanning")
        return
    plain = {"parse_math": False, "transform": axes.transAxes}
    axes.text(0.02, 0.965, panel.title, fontsize=11, fontweight="bold", va="center", **plain)
    axes.text(0.5, 0.5, "no nodes", fontsize=11, ha="center", va="center", **plain)
