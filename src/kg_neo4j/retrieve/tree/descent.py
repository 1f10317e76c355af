"""From nodes of a tree down to words of chunks: every leaf beneath a node, and the shortest way to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.records import TreeStep
from kg_neo4j.retrieve.interface import FoundChunk, FoundNode, LeafPlace, Search

LEAVES = 400  # beneath all nodes together that are looked at, those nearest to the question first


def descend(
    database: Database, search: Search, nodes: Sequence[FoundNode]
) -> tuple[tuple[FoundNode, ...], tuple[FoundChunk, ...]]:
    """Return the nodes with their places in chunks, and these chunks, those of the best nodes first.

    A node beneath which nothing is left any more is left out.
    """
    if not nodes:
        return (), ()
    row = database.read(
        queries.get("retrieve/tree_descent"),
        graph=search.graph,
        nodes=[node.id for node in nodes],
        vector=list(search.vector or ()),
        limit=LEAVES,
    )[0]
    beneath: dict[str, list[str]] = {}
    for parent, child in row["edges"]:
        beneath.setdefault(parent, []).append(child)
    steps = {each["id"]: TreeStep(**each) for each in row["nodes"]}
    parts: dict[str, list[Row]] = {}
    for part in row["leaves"]:
        parts.setdefault(part["id"], []).append(part)
    placed = [replace(node, places=_places(node, beneath, steps, parts)) for node in nodes]
    placed = [node for node in placed if node.places]
    return tuple(placed), _chunks(placed, row["leaves"])


def _places(
    node: FoundNode,
    beneath: Mapping[str, Sequence[str]],
    steps: Mapping[str, TreeStep],
    parts: Mapping[str, Sequence[Row]],
) -> tuple[LeafPlace, ...]:
    ways = _ways(node.id, beneath, steps)
    return tuple(
        LeafPlace(part["chunk_id"], part["start"], part["end"], ways[leaf])
        for leaf, listed in parts.items()
        if leaf in ways
        for part in listed
    )


def _ways(
    begin: str, beneath: Mapping[str, Sequence[str]], steps: Mapping[str, TreeStep]
) -> dict[str, tuple[TreeStep, ...]]:
    """Return the shortest way from a node to each node beneath it, both ends included; a chunk is no step."""
    ways: dict[str, tuple[TreeStep, ...]] = {begin: (steps[begin],) if begin in steps else ()}
    queue = deque([begin])
    while queue:
        each = queue.popleft()
        for child in beneath.get(each, ()):
            if child not in ways:
                ways[child] = (*ways[each], steps[child]) if child in steps else ways[each]
                queue.append(child)
    return ways


def _chunks(nodes: Sequence[FoundNode], leaves: Sequence[Row]) -> tuple[FoundChunk, ...]:
    """Return each chunk once; its score is that of the best node that is a part of it, else 0."""
    scores: dict[str, float] = {}
    for node in nodes:
        if node.kind == "chunk":
            for place in node.places:
                scores.setdefault(place.chunk_id, node.score)
    found = {
        row["chunk_id"]: FoundChunk(
            id=row["chunk_id"],
            text=row["text"] or "",
            tokens=row["tokens"] or 0,
            section=row["section"] or "",
            document=row["document"] or "",
            score=scores.get(row["chunk_id"], 0.0),
        )
        for row in leaves
    }
    return tuple(sorted(found.values(), key=lambda chunk: -chunk.score))
