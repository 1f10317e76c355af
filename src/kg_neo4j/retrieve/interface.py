"""What a retriever is asked and what it finds: the records between the database and everything after it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kg_neo4j.records import TreeStep
from kg_neo4j.retrieve.question import Question


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk speaks of an entity or a fact. Offsets are into the chunk; None where no words were recorded."""

    chunk_id: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk. `score` is 0 for one that was not found itself, only what rests on it."""

    id: str
    text: str
    tokens: int
    section: str
    document: str  # title
    score: float
    language: str = ""  # code of its document's language; empty where it is not known


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity. `named`: words of the question are in its name or aliases."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    description: str
    role: str
    named: bool
    score: float
    mentions: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact between two entities, with the names of its ends."""

    id: str
    type: str
    source: str
    source_id: str
    target: str
    target_id: str
    description: str
    start_date: str
    evidence_count: int
    score: float
    statements: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class LeafPlace:
    """Words of a chunk that a node of a tree rests on, and the nodes on the path, the one that was found first."""

    chunk_id: str
    start: int
    end: int
    steps: tuple[TreeStep, ...] = ()  # none where the node is the chunk itself


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node of a narrative tree."""

    id: str
    kind: str  # "chunk" (a leaf), "summary" or "detail"
    text: str
    aspect: str  # of a summary
    level: int  # 0 for leaves and details
    number: int
    document: str  # title
    score: float
    places: tuple[LeafPlace, ...] = ()  # what it rests on; of a summary, the leaves nearest to the question first
    leaf: str = ""  # of a detail, the id of what it is a note on


@dataclass(frozen=True, slots=True)
class Found:
    """All that one retrieval found, each kind in descending order of score. Every Place names one of `chunks`."""

    mode: str
    chunks: tuple[FoundChunk, ...] = ()
    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    notes: tuple[str, ...] = ()  # what could not be searched
    nodes: tuple[FoundNode, ...] = ()  # mode tree: what is read; `chunks` are what it rests on

    def chunk(self, chunk_id: str) -> FoundChunk | None:
        """Return the chunk of that id, or None."""
        return next((chunk for chunk in self.chunks if chunk.id == chunk_id), None)

    def way(self, chunk_id: str, start: int, end: int) -> tuple[TreeStep, ...]:
        """Return how a tree leads to words of a chunk: not at all where it was read itself, else by its best node."""
        for node in sorted(self.nodes, key=lambda node: node.kind != "chunk"):
            for place in node.places:
                if place.chunk_id == chunk_id and place.start < end and start < place.end:
                    return place.steps
        return ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What filters leave of a graph, as the server tests it. Nothing else may be retrieved, mentioned or cited."""

    conditions: tuple[str, ...]  # files of cypher/left/ that it needs: ids or names (of documents), types, years
    values: Mapping[str, Any]  # of the parameters of these; their size does not depend on the number of chunks
    said: str  # the filters, in words
    counted: str = ""  # "3 chunks", "10,000 chunks or more"


@dataclass(frozen=True, slots=True)
class Search:
    """What to search for, and with which indexes: a name that is None is not searched."""

    graph: str
    question: Question
    words: str | None = None  # full-text query
    vector: tuple[float, ...] | None = None
    chunk_index: str | None = None
    entity_index: str | None = None  # None: entities have no vectors of this model, so they are not compared
    fact_index: str | None = None  # likewise facts
    node_index: str | None = None  # nodes of narrative trees
    scope: Scope | None = None  # None: nothing is filtered
    rest: tuple[float, ...] | None = None  # vector of the question without its names


class Retriever(Protocol):
    """Finds what an answer is made from."""

    def retrieve(self, search: Search) -> Found:
        """Return what it finds for `search.question`, the best first; nothing outside `search.scope` may be found.

        A claim is checked against `Found.chunks`, so their ids and texts must be those of the graph.
        """


def read_chunk(row: Mapping[str, Any]) -> FoundChunk:
    """Return the chunk in a row of a retrieval query."""
    return FoundChunk(
        id=row["id"],
        text=row["text"] or "",
        tokens=row["tokens"] or 0,
        section=row["section"] or "",
        document=row["document"] or "",
        score=float(row["score"] or 0.0),
        language=row["language"] or "",
    )


def read_entity(row: Mapping[str, Any]) -> FoundEntity:
    """Return the entity in a row of a retrieval query."""
    return FoundEntity(
        id=row["id"],
        name=row["name"] or "",
        type=row["type"] or "",
        aliases=tuple(row["aliases"] or ()),
        description=row["description"] or "",
        role=row["role"] or "",
        named=bool(row["named"]),
        score=float(row["score"]),
        mentions=tuple(Place(**place) for place in row["mentions"]),
    )


def read_fact(row: Mapping[str, Any]) -> FoundFact:
    """Return the fact in a row of a retrieval query."""
    return FoundFact(
        id=row["id"],
        type=row["type"],
        source=row["source"] or "",
        source_id=row["source_id"],
        target=row["target"] or "",
        target_id=row["target_id"],
        description=row["description"] or "",
        start_date=str(row["start_date"] or ""),
        evidence_count=row["evidence_count"] or 0,
        score=float(row["score"]),
        statements=tuple(Place(**place) for place in row["statements"]),
    )
