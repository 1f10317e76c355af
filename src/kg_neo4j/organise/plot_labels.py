"""Puts names beside the nodes of a picture so that no two overlap: the most connected first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kg_neo4j.organise.plot_graph import PlotGraph
from kg_neo4j.organise.plot_layout import Points

_ALWAYS = 5  # so many names are written on their nodes where there is no room beside them
_MAX_CHARS = 34
_INK = "#23272e"


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
