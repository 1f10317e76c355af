"""What a picture shows: the most connected entities, their relationships, and one colour for each group."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction

# Ten colours that stay apart on screen, on paper and for most colour-blind readers; the last is for all others.
PALETTE = ("#4477aa", "#ee6677", "#228833", "#e0a800", "#9a55a8", "#39a9c4", "#d9762b", "#7a8b3d", "#b8477f", "#5f6fbf")
REST = "#9aa0a6"
_LONGEST_NAME = 34  # characters
_TYPE_COLOURS = {
    "PERSON": PALETTE[0],
    "PLACE": PALETTE[2],
    "LOCATION": PALETTE[2],
    "ORGANIZATION": PALETTE[1],
    "DATE": PALETTE[3],
    "EVENT": PALETTE[6],
    "OTHER": REST,
}


@dataclass(frozen=True, slots=True)
class PlotNode:
    """An entity to draw."""

    num: int
    name: str
    type: str
    community: str  # empty where none was found
    degree: int  # relationships in either direction, also to entities that are not drawn


@dataclass(frozen=True, slots=True)
class PlotRelationship:
    """A relationship to draw; `source` and `target` are places in `PlotGraph.nodes`."""

    source: int
    type: str
    target: int
    evidence: int
    fact: str = ""  # id of its fact


@dataclass(frozen=True, slots=True)
class PlotGraph:
    """Everything that a picture needs. Nodes are in descending order of degree."""

    name: str
    nodes: tuple[PlotNode, ...]
    relationships: tuple[PlotRelationship, ...]
    total_nodes: int  # in the database, without the next
    alone: int = 0  # entities that are left out because they have no relationship


def read_graph(database: Database, graph: str, limit: int, *, alone: bool = False) -> PlotGraph:
    """Read the `limit` most connected entities of `graph` and what relates them, in one transaction.

    Entities without a relationship are left out, unless those that are `alone` are to be drawn.
    """

    def work(transaction: Transaction) -> PlotGraph:
        size = transaction.run(queries.get("analytics/plot_total"), graph=graph)[0]
        least, left_out = (0, 0) if alone else (1, size["Alone"])
        rows = transaction.run(queries.get("analytics/plot_graph"), graph=graph, least=least, limit=limit)
        nodes = tuple(
            PlotNode(row["Num"], row["Name"], row["Type"], row["Community"], row["Connections"]) for row in rows
        )
        places = {node.num: place for place, node in enumerate(nodes)}
        found = transaction.run(queries.get("analytics/plot_relationships"), graph=graph, nums=list(places))
        relationships = tuple(
            PlotRelationship(places[row["Source"]], row["Type"], places[row["Target"]], row["Evidence"], row["Fact"])
            for row in found
        )
        return PlotGraph(graph, nodes, relationships, size["Nodes"] - left_out, left_out)

    return database.read_transaction(work)


def group_colours(nodes: tuple[PlotNode, ...], colour_by: str) -> tuple[list[str], dict[str, str]]:
    """Return each node's group, and the colour of each group from the largest to the smallest.

    Groups beyond the palette share the colour of the rest.
    """
    groups = [node.type if colour_by == "type" else node.community or "none" for node in nodes]
    ranked = sorted(Counter(groups).items(), key=lambda pair: (-pair[1], pair[0]))
    colours: dict[str, str] = {}
    if colour_by == "type":
        colours = {group: _TYPE_COLOURS[group] for group, _ in ranked if group in _TYPE_COLOURS}
    free = [colour for colour in PALETTE if colour not in colours.values()]
    for group, _ in ranked:
        if group not in colours:
            colours[group] = free.pop(0) if free and group != "none" else REST
    return groups, {group: colours[group] for group, _ in ranked}


def group_label(group: str, colour_by: str) -> str:
    """Return what a legend calls a group."""
    if colour_by == "type":
        return group
    return "no community" if group == "none" else f"community {group}"


def shorten(name: str) -> str:
    """Return a name that fits next to a node: white space collapsed, at most 34 characters."""
    text = " ".join(name.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1].rstrip() + "…"
