"""Draws a PlotGraph as one HTML page with neo4j-viz: zoom, drag, search. The page loads nothing from the network."""

from __future__ import annotations

import html

import numpy as np

from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, group_label
from kg_neo4j.organise.plot_layout import lay_out

_SMALL, _LARGE = 0.38, 0.82  # radii, where one step of the graph is about 1: names stand inside the nodes
_WINDOW = (1300, 750)  # pixels: an ordinary window, for the first zoom
_PIXELS = 90  # a step, before zooming


def draw(graph: PlotGraph, colour_by: str) -> str:
    """Return the page: about 4.4 MB, because the viewer is inside it. Names are data in it, never markup."""
    from neo4j_viz import Node, Relationship, VisualizationGraph

    groups, colours = group_colours(graph.nodes, colour_by)
    degrees = np.array([node.degree for node in graph.nodes], dtype=np.float64)
    radii = _SMALL + (_LARGE - _SMALL) * np.sqrt(degrees / max(degrees.max(), 1))
    points = lay_out(len(graph.nodes), [(each.source, each.target) for each in graph.relationships], radii)
    nodes = [
        Node.model_validate(
            {
                "id": place,
                "caption": node.name,
                "size": float(radii[place] * _PIXELS),
                "x": float(points[place, 0] * _PIXELS),
                "y": float(-points[place, 1] * _PIXELS),
                "color": colours[group],
                "properties": {
                    "type": node.type,
                    "community": node.community or "none",
                    "connections": node.degree,
                },
            }
        )
        for place, (node, group) in enumerate(zip(graph.nodes, groups, strict=True))
    ]
    relationships = [
        Relationship.model_validate(
            {
                "id": place,
                "source": each.source,
                "target": each.target,
                "caption": each.type,
                "properties": {"evidence": each.evidence},
            }
        )
        for place, each in enumerate(graph.relationships)
    ]
    drawing = VisualizationGraph(nodes=nodes, relationships=relationships)
    drawing.set_legend(nodes=[(group_label(group, colour_by), colour) for group, colour in colours.items()])
    extent = np.ptp(points, axis=0) * _PIXELS + 200
    page = drawing.render(
        layout="free",
        width="100%",
        height="100vh",
        pan_position=(0.0, 0.0),
        initial_zoom=float(min(_WINDOW[0] / extent[0], _WINDOW[1] / extent[1], 1.5)),
        max_allowed_nodes=max(10_000, len(nodes)),
    )
    title = f"<title>{html.escape(graph.name)}</title>"
    return str(page.data).replace("<title>neo4j-viz</title>", title, 1)
