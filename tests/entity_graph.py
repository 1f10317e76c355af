"""Graphs of entities for tests: loaded through the recorder, one chunk a fact, in any order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from corpus import Fact, document, extraction, record_document
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise.analytics import read_graph
from kg_neo4j.organise.projection import Projection, project

SCHEMA = schemas.load("described")

# Zachary's karate club (1977): the 78 friendships, without numbers to the left of the first member
_KARATE = """
1: 2 3 4 5 6 7 8 9 11 12 13 14 18 20 22 32
2: 3 4 8 14 18 20 22 31
3: 4 8 9 10 14 28 29 33
4: 8 13 14
5: 7 11
6: 7 11 17
7: 17
9: 31 33 34
10: 34
14: 34
15: 33 34
16: 33 34
19: 33 34
20: 34
21: 33 34
23: 33 34
24: 26 28 30 33 34
25: 26 28 32
26: 32
27: 30 34
28: 34
29: 32 34
30: 33 34
31: 33 34
32: 33 34
33: 34
"""


def karate() -> list[Fact]:
    """Return the 78 friendships of the 34 members, named "1" to "34"."""
    lines = [line.split(":") for line in _KARATE.split("\n") if line]
    return [(member, "FRIEND_OF", friend) for member, friends in lines for friend in friends.split()]


def two_cliques() -> list[Fact]:
    """Return A1..A5 all related to each other, B1..B5 likewise, and the bridge A5 - B1."""
    cliques = [[f"{side}{number}" for number in range(1, 6)] for side in "AB"]
    facts: list[Fact] = [
        (left, "KNOWS", right) for members in cliques for left in members for right in members if left < right
    ]
    return [*facts, ("A5", "MET", "B1")]


def villages(seed: int, nodes: int = 240, facts: int = 720, near: float = 0.8) -> list[Fact]:
    """Return facts among nodes that stay in villages of twelve, by share `near`, and five nodes alone.

    Some facts repeat or oppose others, or relate a node to itself.
    """
    draw = random.Random(seed)
    made: list[Fact] = []
    for _ in range(facts):
        left = draw.randrange(nodes)
        neighbour = left // 12 * 12 + draw.randrange(12)
        right = neighbour if draw.random() < near else draw.randrange(nodes)
        made.append((f"N{left}", draw.choice(["KNOWS", "MET", "HELPED"]), f"N{right}"))
    return [*made, *((f"Hermit {number}", "", "") for number in range(5))]


def load(
    database: Database, graph: str, facts: Sequence[Fact], *, order: int | None = None, per_chunk: int = 1
) -> None:
    """Load `facts` as one document, the chunks in an order drawn from `order`."""
    groups = [list(facts[start : start + per_chunk]) for start in range(0, len(facts), per_chunk)]
    source, chunks = document(graph, "facts.txt", [f"{number}: {group}" for number, group in enumerate(groups)])
    extractions = [extraction(chunk, group) for chunk, group in zip(chunks, groups, strict=True)]
    if order is not None:
        random.Random(order).shuffle(extractions)
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, LoadConfiguration("c0", "described", SCHEMA.hash, "words"))
        recorder = Recorder(database, graph, SCHEMA, lease)
        for start in range(0, len(extractions), 50):
            recorder.record(extractions[start : start + 50])
        settle(database, graph, SCHEMA, lease)


@contextmanager
def projected(database: Database, graph: str) -> Iterator[Projection]:
    """Project a graph as it stands, for the time of a `with` block."""
    found = read_graph(database, graph, "test")
    with project(database, graph, found.pairs) as projection:
        yield projection
