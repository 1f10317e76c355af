"""What the viewer draws: nodes with a place, relationships, legends, and what a click shows: words of the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.organise.plot_graph import PlotGraph, group_colours, group_label
from kg_neo4j.organise.plot_layout import lay_out

_SMALL, _LARGE = 0.08, 0.36  # radii, where one step of the graph is about 1
_WIDER = 1.3  # names are wider than high
GROUPINGS = ("type", "community")
QUOTES = 5  # of one node or relationship, at most
LONGEST = 600  # characters of a quote
Address = Callable[[str, int | None, int | None], str]  # of words in a chunk, by its id and their offsets
_READ = 3 * QUOTES  # rows of one entity often have one quote


@dataclass(frozen=True, slots=True)
class ViewNode:
    """A node in its place; `size` is its radius, where one step of the graph is about 1, as for `x` and `y`."""

    id: str
    name: str
    type: str
    community: str  # a value of the legend of communities
    size: float
    x: float
    y: float  # grows downwards


@dataclass(frozen=True, slots=True)
class ViewEdge:
    """A relationship; no node has its id."""

    id: str
    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True)
class ViewGroup:
    """A line of a legend."""

    value: str  # as the nodes have it
    name: str
    colour: str
    count: int


@dataclass(frozen=True, slots=True)
class ViewQuote:
    """Words of a document that mention a node or state a relationship."""

    text: str
    document: str  # title
    href: str = ""  # of the passage, on the same site


@dataclass(frozen=True, slots=True)
class ViewDetail:
    """What a click shows of a node or a relationship."""

    description: str
    evidence: int  # quotes in the sources; more than those shown here
    quotes: tuple[ViewQuote, ...]
    href: str = ""  # of its page, on the same site


@dataclass(frozen=True, slots=True)
class GraphView:
    """All that the viewer takes, field for field, as JSON. Details are here, or one by one at an address."""

    title: str
    colour_by: str  # "type" or "community"
    total_nodes: int  # of the graph; those that are not among `nodes` are less connected
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    legends: Mapping[str, tuple[ViewGroup, ...]]  # by grouping, the largest group first
    details: Mapping[str, ViewDetail] = field(default_factory=dict)  # by id of a node or a relationship
    details_at: str = ""  # "/details/": the viewer fetches a ViewDetail from there, with the id added


def view(graph: PlotGraph, colour_by: str) -> GraphView:
    """Return the view of a graph without details. Ids are "n" or "e" and the place in the graph. Deterministic."""
    degrees = np.array([max(node.degree, 1) for node in graph.nodes], dtype=np.float64)
    sizes = _SMALL + (_LARGE - _SMALL) * np.sqrt(degrees / max(degrees.max(initial=0), 6))
    points = lay_out(len(graph.nodes), [(each.source, each.target) for each in graph.relationships], sizes)
    groups = {grouping: group_colours(graph.nodes, grouping) for grouping in GROUPINGS}
    nodes = tuple(
        ViewNode(
            f"n{place}",
            node.name,
            groups["type"][0][place],
            groups["community"][0][place],
            round(float(sizes[place]), 3),
            round(float(points[place, 0]) * _WIDER, 3),
            round(-float(points[place, 1]), 3),
        )
        for place, node in enumerate(graph.nodes)
    )
    edges = tuple(
        ViewEdge(f"e{place}", f"n{each.source}", f"n{each.target}", each.type)
        for place, each in enumerate(graph.relationships)
    )
    legends = {name: _legend(*groups[name], name) for name in GROUPINGS}
    return GraphView(graph.name, colour_by, graph.total_nodes, nodes, edges, legends)


def _legend(groups: list[str], colours: dict[str, str], grouping: str) -> tuple[ViewGroup, ...]:
    counts = Counter(groups)
    return tuple(
        ViewGroup(value, group_label(value, grouping), colour, counts[value]) for value, colour in colours.items()
    )


def read_view(database: Database, graph: PlotGraph, colour_by: str) -> GraphView:
    """Return the view of a graph with the details of each node and each relationship."""
    entities = entity_details(database, graph.name, [node.num for node in graph.nodes])
    facts = fact_details(database, graph.name, [each.fact for each in graph.relationships if each.fact])
    details = {f"n{place}": entities[node.num] for place, node in enumerate(graph.nodes) if node.num in entities}
    details |= {f"e{place}": facts[each.fact] for place, each in enumerate(graph.relationships) if each.fact in facts}
    return replace(view(graph, colour_by), details=details)


def entity_details(
    database: Database, graph: str, nums: Sequence[int], address: Address | None = None
) -> dict[int, ViewDetail]:
    """Return what there is to show of each entity, by its num; an unknown one is left out."""
    return _details(database, "analytics/plot_entity_evidence", address, graph=graph, nums=nums)


def fact_details(
    database: Database, graph: str, facts: Sequence[str], address: Address | None = None
) -> dict[str, ViewDetail]:
    """Return what there is to show of each fact, by its id; an unknown one is left out."""
    return _details(database, "analytics/plot_fact_evidence", address, graph=graph, facts=facts)


def _details(database: Database, query: str, address: Address | None, **asked: Any) -> dict[Any, ViewDetail]:
    def work(transaction: Transaction) -> dict[Any, ViewDetail]:
        rows = transaction.run(queries.get(query), **asked, quotes=_READ, hub=2_000)
        chunks = sorted({quote[0] for row in rows for quote in row["Quotes"]})
        texts = {row["id"]: row["text"] or "" for row in transaction.run(queries.get("write/chunk_texts"), ids=chunks)}
        return {
            next(iter(row.values())): ViewDetail(
                row["Description"], row["Evidence"], _quotes(row["Quotes"], texts, address)
            )
            for row in rows
        }

    return database.read_transaction(work)


def _quotes(rows: Sequence[Sequence[Any]], texts: Mapping[str, str], address: Address | None) -> tuple[ViewQuote, ...]:
    """Return the words as the sources have them, each once."""
    quotes: dict[tuple[str, str], ViewQuote] = {}
    for chunk, start, end, words, document in rows:
        text = " ".join((texts.get(chunk, "")[start:end] if start is not None else words or "").split())
        if text:
            shown = text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"
            href = address(chunk, start, end) if address else ""
            quotes.setdefault((shown, document or ""), ViewQuote(shown, document or "", href))
    return tuple(quotes.values())[:QUOTES]
