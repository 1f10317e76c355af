"""Draws a PlotGraph as one HTML page with neo4j-viz: zoom, drag, search. The page loads nothing from the network."""

from __future__ import annotations

import html

from kg_neo4j.organise.plot_graph import PlotGraph, group_colours


def draw(graph: PlotGraph, colour_by: str) -> str:
    """Return the page: about 4.4 MB, because the viewer is inside it. Names are data in it, never markup."""
    from neo4j_viz import Node, Relationship, VisualizationGraph

    groups, colours = group_colours(graph.nodes, colour_by)
    highest = max(node.degree for node in graph.nodes) or 1
    nodes = [
        Node.model_validate(
            {
                "id": place,
                "caption": node.name,
                "size": 10 + 40 * (node.degree / highest) ** 0.5,
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
    page = str(drawing.render(width="100%", height="100vh", max_allowed_nodes=max(10_000, len(nodes))).data)
    return page.replace("<title>neo4j-viz</title>", f"<title>{html.escape(graph.name)}</title>", 1)
