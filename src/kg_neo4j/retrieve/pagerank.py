"""Personalised PageRank from what a question names: over a projection that is kept until the graph changes, or without.

A walk that starts at the named entities, goes from a passage to the rarer entities in it and back to the passages that
speak of them, finds what a second hop away answers the question (HippoRAG, arXiv 2405.14831, spreads so over triples).
The projection is directed and weighted (`project_search`); nothing in it depends on the question, so it is kept.
The weights were set by hand, and hold over a wide range on three data sets (docs/decisions/0020-retrieval.md).

In a large database, or without GDS, nothing is projected. The walk goes step by step over the stored graph, with the
same weights and tolerance, and leaves out what would carry next to nothing (docs/decisions/0047-search-at-size.md).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Transaction
from kg_neo4j.retrieve.filtered import best_left, read_left
from kg_neo4j.retrieve.interface import Linked, Scope
from kg_neo4j.retrieve.linking import exact_query, own_documents
from kg_neo4j.retrieve.name_fits import keys
from kg_neo4j.retrieve.projection_cache import KeptProjection

BACK = 0.3  # width of the way from an entity to a chunk that mentions it, beside 1 for the way there
PASSAGE = 3.0  # of the way from an entity to the passage about it
TITLED = 1.0  # how much wider the way to an entity is that has a passage of its own
DAMPING = 0.85
ITERATIONS = 20  # at most; the walk ends when no score changes by more than the tolerance
TOLERANCE = 1e-4
KEEP = 60  # chunks, and entities, that a walk gives
LOOKED_AT = 50 * KEEP  # nodes of the highest scores, of which these are taken; with filters every node
EVERYTHING = 2**31 - 1  # the longest list that Neo4j takes a place in
LARGE = 100_000  # chunks in the database, of all graphs, from which on nothing is projected
LEAST = 5e-5  # score that each way from an entity brings; one that brings less is not walked on from
BREADTH = 200  # chunks that one step walks on from
FOUND = 1_000  # chunks that one step finds
TITLES = 20  # documents that are compared with the names of one entity


@dataclass(frozen=True, slots=True)
class Reached:
    """Where the walk was: (id, share of the best one's score, above 0 to 1), best first."""

    chunks: tuple[tuple[str, float], ...] = ()
    entities: tuple[tuple[str, float], ...] = ()


def spread(
    database: Database, graph: str, start: Linked, chunks: Sequence[str] = (), scope: Scope | None = None
) -> Reached:
    """Return what is near to the entities and documents of `start` and to `chunks` (ids); of `scope` alone.

    The walk goes over the whole graph all the same: what it walks over does not depend on filters.
    In a large database, and where GDS is missing or has too little memory, the walk is over the stored graph.
    """

    def stored(transaction: Transaction, least: int) -> Reached | None:
        size = transaction.run(queries.get("retrieve/size"))[0]["chunks"]
        return walk_stored(transaction, graph, start, chunks, scope, size) if size >= least else None

    def make(transaction: Transaction, name: str) -> bool:
        own = own_documents(transaction.run(queries.get("retrieve/named_things"), graph=graph))
        widths = {"back": BACK, "passage": PASSAGE, "titled": TITLED}
        made = transaction.run(queries.get("retrieve/project_search"), graph=graph, name=name, own=own, **widths)
        return made[0]["projection"] is not None

    def step(reader: Reader, name: str) -> Reached:
        rows = read_left(
            reader,
            scope,
            "retrieve/spread",
            name=name,
            entities=list(start.entities),
            documents=list(start.documents),
            chunks=list(chunks),
            damping=DAMPING,
            iterations=ITERATIONS,
            tolerance=TOLERANCE,
            most=LOOKED_AT if scope is None else EVERYTHING,
            first=LOOKED_AT // 5 if scope is None else EVERYTHING,
            keep=KEEP,
        )
        found: dict[str, list[tuple[str, float]]] = {"chunk": [], "entity": []}
        for row in rows:
            found[row["kind"]].append((row["id"], row["score"]))
        return Reached(*(tuple((each, score / of[0][1]) for each, score in of) for of in found.values()))

    kept = KeptProjection(database, graph, "entities", make, step, instead=lambda each: stored(each, LARGE))
    try:
        return kept.walk() or Reached()
    except (GdsMissing, NotEnoughMemory):
        return database.read_transaction(lambda each: stored(each, 0)) or Reached()


@dataclass(frozen=True, slots=True)
class _Entity:
    """What an entity gives and takes on a walk over the stored graph."""

    mentions: int
    passages: tuple[str, ...]  # ids of the first chunks of the documents about it


@dataclass(slots=True)
class _StoredGraph:
    """Reads the ways of nodes where a walk needs them, each once."""

    reader: Reader
    graph: str
    size: int  # chunks
    entities: dict[str, _Entity] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)  # chunk -> the entities that it mentions
    about: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # chunk -> those whose passage it is

    def learn(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Note the entities in `rows`, with their passages."""
        new = {row["id"]: row for row in rows if row["id"] not in self.entities}
        found: list[set[str]] = [set() for _ in new]
        names = [keys(row["names"]) for row in new.values()]
        phrases = [" OR ".join(sorted({exact_query(name) for name in row["names"]} - {'""'})) for row in new.values()]
        asked = [place for place, phrase in enumerate(phrases) if phrase]
        given = {"graph": self.graph, "phrases": [phrases[place] for place in asked], "first": TITLES}
        for row in self.reader.read(queries.get("retrieve/own_passages"), **given) if asked else ():
            if names[asked[row["place"]]] & keys(row["names"]):
                found[asked[row["place"]]].add(row["chunk"])
        for row, passages in zip(new.values(), found, strict=True):
            self.entities[row["id"]] = _Entity(row["mentions"], tuple(sorted(passages)))
            for passage in passages:
                self.about[passage].add(row["id"])

    def read(self, chunks: Iterable[str]) -> None:
        """Note which entities `chunks` mention."""
        new = [each for each in chunks if each not in self.inside]
        if not new:
            return
        rows = self.reader.read(queries.get("retrieve/walk_chunks"), ids=new)
        self.learn({"id": row["entity"], **row} for row in rows)
        self.inside |= {each: [] for each in new}
        for row in rows:
            self.inside[row["chunk"]].append(row["entity"])

    def rarity(self, entity: _Entity) -> float:
        """Return the width of a way to an entity, above 0 to 1, as `project_search` has it."""
        return math.log(1 + self.size / max(entity.mentions, 1)) / math.log(1 + self.size)

    def onwards(self, chunk: str) -> dict[str, float]:
        """Return the share of a chunk's score that goes to each of its entities."""
        ways: dict[str, float] = dict.fromkeys(sorted(self.about[chunk]), PASSAGE / 6)
        for each in self.inside[chunk]:
            entity = self.entities[each]
            ways[each] = ways.get(each, 0.0) + self.rarity(entity) * (1 + TITLED * bool(entity.passages))
        total = sum(ways.values())
        return {each: way / total for each, way in ways.items()}

    def back(self, entity: _Entity) -> tuple[float, float]:
        """Return the share of an entity's score that goes to each chunk that mentions it, and to each own passage."""
        way = self.rarity(entity) * BACK
        total = entity.mentions * way + len(entity.passages) * PASSAGE
        return way / total, PASSAGE / total


def walk_stored(
    reader: Reader, graph: str, start: Linked, chunks: Sequence[str], scope: Scope | None, size: int
) -> Reached:
    """Return what a walk over the stored graph of `size` chunks reaches: as GDS, but for what is next to nothing."""
    stored = _StoredGraph(reader, graph, size)
    first = reader.read(
        queries.get("retrieve/walk_from"),
        entities=list(start.entities),
        documents=list(start.documents),
        chunks=list(chunks),
    )
    stored.learn(row for row in first if row["kind"] == "entity")
    scores: dict[str, float] = defaultdict(float)
    moving = {row["id"]: 1 - DAMPING for row in first}
    for iteration in range(ITERATIONS):
        for each, gain in moving.items():
            scores[each] += gain
        moving = _step(stored, _walked_on(moving, stored.entities), is_first=not iteration)
        if not moving:
            break
    return _best(reader, scores, stored.entities, scope)


def _walked_on(moving: Mapping[str, float], entities: Collection[str]) -> dict[str, float]:
    """Return the nodes that gained more than the tolerance; of chunks no more than a step walks on from.

    Of chunks that gained the same either all are in it or none: ids decide nothing.
    """
    gains = sorted((gain for each, gain in moving.items() if each not in entities), reverse=True)
    bound = gains[BREADTH] if len(gains) > BREADTH else 0.0
    return {each: gain for each, gain in moving.items() if gain > max(TOLERANCE, 0.0 if each in entities else bound)}


def _step(stored: _StoredGraph, moving: Mapping[str, float], *, is_first: bool) -> dict[str, float]:
    """Return what each node gains from those that are `moving`.

    What the walk begins at and brings each chunk next to nothing tells only chunks apart that others lead to.
    """
    gained: dict[str, float] = defaultdict(float)
    chunks = [each for each in moving if each not in stored.entities]
    stored.read(chunks)
    for chunk in chunks:
        for each, share in stored.onwards(chunk).items():
            gained[each] += DAMPING * moving[chunk] * share
    gains, hubs = [], []
    for each, gain in moving.items():
        if (entity := stored.entities.get(each)) is None or not entity.mentions:
            continue
        to_chunk, to_passage = (DAMPING * gain * share for share in stored.back(entity))
        for passage in entity.passages:
            gained[passage] += to_passage
        if to_chunk >= LEAST:
            gains.append([each, to_chunk])
        elif is_first:
            hubs.append([each, to_chunk])
    if gains:
        for row in stored.reader.read(queries.get("retrieve/walk_entities"), gains=gains, hubs=hubs, most=FOUND):
            gained[row["id"]] += row["gain"]
    return gained


def _best(reader: Reader, scores: Mapping[str, float], entities: Collection[str], scope: Scope | None) -> Reached:
    """Return the best chunks and entities of those that filters leave."""

    def best(is_entity: bool) -> tuple[tuple[str, float], ...]:
        found = {each: round(score, 9) for each, score in scores.items() if (each in entities) == is_entity}
        kept = best_left(reader, scope, sorted(found, key=lambda each: (-found[each], each)), KEEP)
        return tuple((each, found[each] / found[kept[0]]) for each in kept)

    return Reached(best(False), best(True))
