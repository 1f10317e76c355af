"""Draws a graph as one HTML page: zoom, drag, search, quotes on a click. It loads nothing from the network."""

from __future__ import annotations

from dataclasses import asdict, replace

from kg_neo4j.graph.database import Database
from kg_neo4j.organise import html_page
from kg_neo4j.organise.plot_graph import PlotGraph
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE, still
from kg_neo4j.organise.viewer.details import entity_details, fact_details
from kg_neo4j.organise.viewer.view import GraphView, view


def read_view(database: Database, graph: PlotGraph, colour_by: str) -> GraphView:
    """Return the view of a graph with the details of each node and each relationship."""
    entities = entity_details(database, graph.name, [node.num for node in graph.nodes])
    facts = fact_details(database, graph.name, [each.fact for each in graph.relationships if each.fact])
    details = {f"n{place}": entities[node.num] for place, node in enumerate(graph.nodes) if node.num in entities}
    details |= {f"e{place}": facts[each.fact] for place, each in enumerate(graph.relationships) if each.fact in facts}
    return replace(view(graph, colour_by), details=details)


def draw(shown: GraphView) -> str:
    """Return the page. Names and quotes are data in it, never markup. Without a script it is a still picture."""
    script, style = (file.read_text(encoding="utf-8") for file in (SCRIPT_FILE, STYLE_FILE))
    heading = f"<h1>{html_page.clean(shown.title)}</h1>"
    viewer = f'<div class="kg-viewer" data-inline="kg-graph">\n{still.draw(shown)}\n</div>'
    body = f"<main>\n{heading}\n{viewer}\n</main>"
    return html_page.compose(shown.title, body, asdict(shown), "kg-graph", style, script, body_class="kg-plot")
