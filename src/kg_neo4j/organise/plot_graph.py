"""What a picture shows: the most connected entities, their relationships, and one colour for each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction

# Ten colours that stay apart on screen, on paper and for most colour-blind readers; the last is for all others.
PALETTE = ("#4477aa", "#ee6677", "#228833", "#e0a800", "#9a55a8", "#39a9c4", "#d9762b", "#7a8b3d", "#b8477f", "#5f6fbf")
REST = "#9aa0a6"
_LONGEST_NAME = 34  # characters
_KNOWN = {"PERSON": 0, "PLACE": 2, "LOCATION": 2, "ORGANIZATION": 1, "DATE": 3, "EVENT": 6}  # places in the palette
_TYPE_COLOURS = {kind: PALETTE[place] for kind, place in _KNOWN.items()} | {"OTHER": REST}


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
    years: tuple[int, ...] = ()  # of its dates


@dataclass(frozen=True, slots=True)
class PlotGraph:
    """Everything that a picture needs. Nodes are in descending order of degree."""

    name: str
    nodes: tuple[PlotNode, ...]
    relationships: tuple[PlotRelationship, ...]
    total_nodes: int  # in the database, without the next
    alone: int = 0  # entities that are left out because they have no relationship
    titles: Mapping[str, str] = field(default_factory=dict)  # of communities that have one

    def caption(self) -> str:
        """Return how many nodes are shown, and why no others."""
        drawn, fewer = len(self.nodes), self.total_nodes - len(self.nodes)
        of = f"{drawn:,} of {self.total_nodes + self.alone:,}" if fewer or self.alone else f"{drawn:,}"
        why = ["the most connected ones"] if fewer else ["those with relationships"] if self.alone else []
        why += [f"{fewer:,} {'has' if fewer == 1 else 'have'} fewer relationships"] if fewer else []
        why += [f"{self.alone:,} {'has' if self.alone == 1 else 'have'} none"] if self.alone else []
        reason = ": " + "; ".join(why) + ". " if why else ", "
        many = "" if len(self.relationships) == 1 else "s"
        return f"{of} node{'s' * (of != '1')}{reason}{len(self.relationships):,} relationship{many}"

    def label(self, group: str, colour_by: str) -> str:
        """Return what a legend calls a group."""
        first = next((node.name for node in self.nodes if colour_by != "type" and node.community == group), "")
        return self.titles.get(group, f"around {first}") if first else "no community" if group == "none" else group


def read_graph(database: Database, graph: str, limit: int, *, alone: bool = False) -> PlotGraph:
    """Read the `limit` most connected entities of `graph` and what relates them, in one transaction.

    Entities without a relationship are left out, unless those that are `alone` are to be drawn.
    """

    def work(transaction: Transaction) -> PlotGraph:
        size = transaction.run(queries.get("analytics/plot_total"), graph=graph)[0]
        least, left_out = (0, 0) if alone else (1, size["Alone"])
        rows = transaction.run(queries.get("analytics/plot_graph"), graph=graph, least=least, limit=limit)
        nodes = tuple(PlotNode(r["Num"], r["Name"], r["Type"], r["Community"], r["Connections"]) for r in rows)
        places = {node.num: place for place, node in enumerate(nodes)}
        found = transaction.run(queries.get("analytics/plot_relationships"), graph=graph, nums=list(places))
        drawn, titles = drawn_relationships(places, found), dict(size["Titles"])
        return PlotGraph(graph, nodes, drawn, size["Nodes"] - left_out, left_out, titles)

    return database.read_transaction(work)


def drawn_relationships(places: Mapping[int, int], rows: Iterable[Mapping[str, Any]]) -> tuple[PlotRelationship, ...]:
    """Return what `analytics/plot_relationships` gave; `places` are those of entities in `PlotGraph.nodes`, by num."""
    return tuple(
        PlotRelationship(
            places[r["Source"]], r["Type"], places[r["Target"]], r["Evidence"], r["Fact"], tuple(r["Years"])
        )
        for r in rows
    )


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


def shorten(name: str) -> str:
    """Return a name that fits next to a node: white space collapsed, at most 34 characters; the middle is left out."""
    text = " ".join(normalize("NFC", name).split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 13].rstrip() + "…" + text[-12:].lstrip()
