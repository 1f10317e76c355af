"""Views of graphs for the tests of the viewer."""

from __future__ import annotations

from dataclasses import replace

from hostile_texts import PAYLOADS
from kg_neo4j.organise.plot_graph import PlotGraph, PlotNode, PlotRelationship
from kg_neo4j.organise.viewer.view import GraphView, ViewDetail, ViewQuote, view


def people(size: int = 12) -> GraphView:
    """Return a star of people; each node and each relationship has a quote of its own, and the hub a description."""
    nodes = [PlotNode(0, "Person number 0", "PERSON", "0", max(size - 1, 0))]
    nodes += [PlotNode(n, f"Person number {n}", ("PERSON", "PLACE")[n % 2], str(n % 3), 1) for n in range(1, size)]
    edges = tuple(PlotRelationship(0, "MARRIED_TO", n, 1, f"f{n}") for n in range(1, size))
    shown = view(PlotGraph("test graph", tuple(nodes), edges, size), "type")
    details = {node.id: ViewDetail("", 1, (ViewQuote(f"words about {node.name}", "Lives"),)) for node in shown.nodes}
    details |= {edge.id: ViewDetail("", 3, (ViewQuote(f"vows of {edge.id}", "Records"),)) for edge in shown.edges}
    details["n0"] = replace(details["n0"], description="Known to all.")
    return replace(shown, details=details)


def circles(count: int = 6, size: int = 20) -> GraphView:
    """Return communities that are trees, each related to the next one."""
    nodes = tuple(PlotNode(n, f"Person number {n}", "PERSON", str(n % count), 2) for n in range(count * size))
    pairs = [(n, n % count + n // count // 3 * count) for n in range(count, count * size)]
    pairs += [(n, (n + 1) % count) for n in range(count)]
    edges = tuple(PlotRelationship(one, "MET", other, 1) for one, other in pairs)
    return view(PlotGraph("circles", nodes, edges, len(nodes)), "type")


def hostile() -> GraphView:
    """Return a ring of nodes in which a payload is each name, type, description, quote, title and address."""
    nodes = tuple(PlotNode(n, text, text, "", 2) for n, text in enumerate(PAYLOADS))
    edges = tuple(PlotRelationship(n, text, (n + 1) % len(PAYLOADS), 1) for n, text in enumerate(PAYLOADS))
    shown = view(PlotGraph(" ".join(PAYLOADS), nodes, edges, len(nodes)), "type")
    details = {
        f"{kind}{n}": ViewDetail(text, 9, (ViewQuote(text, text, text),), text)
        for n, text in enumerate(PAYLOADS)
        for kind in "ne"
    }
    return replace(shown, details=details)
