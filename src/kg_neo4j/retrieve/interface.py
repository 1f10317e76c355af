"""How a question is answered, what a retriever is asked and what it finds. Pure.

Every option of a question is declared here, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.values import MAX_YEAR, MIN_YEAR
from kg_neo4j.records import Answer, Fact, Filters, TreeStep, Usage
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.tree.choice import CONTEXT_TOKENS as TREE_TOKENS
from kg_neo4j.retrieve.tree.choice import TreeChoice

AUTO, LOCAL, NAIVE, GLOBAL, CYPHER, TREE = MODES = "auto", "local", "naive", "global", "cypher", "tree"
CONTEXT_TOKENS = 2_500  # of evidence; of a tree fewer, see `retrieve.tree.choice`
NOT_IN_GRAPH = re.compile(r"\W*not in the graph\W*", re.IGNORECASE)  # what a model says that finds no answer
CHUNKS = 12  # of which the best passages are read


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
    near: tuple[tuple[int, float], ...] = ()  # start of each passage, and how near it is to the question, 0 to 1
    corrections: tuple[tuple[int, int, str], ...] = ()  # start and end of words, and what a person corrected in them
    row: float | None = None  # of a row of another graph: how near it is to what the question means, 0 to 1


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
class FoundFact(Fact):
    """A fact that was found, with where it is stated."""

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
    worded: tuple[str, ...] = ()  # ids of the chunks with most words of the question
    beginnings: tuple[str, ...] = ()  # ids of chunks, a document each, whose beginning is read before all others

    def chunk(self, chunk_id: str) -> FoundChunk | None:
        """Return the chunk of that id, or None."""
        return next((chunk for chunk in self.chunks if chunk.id == chunk_id), None)

    def tree_path(self, chunk_id: str, start: int, end: int) -> tuple[TreeStep, ...]:
        """Return the path from the best node that was read to words of a chunk; empty if the chunk was read."""
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
class Linked:
    """What a question names. Ids, those of the longest names first, without repeats."""

    entities: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # as the question writes them

    def __bool__(self) -> bool:
        """Return whether anything is named."""
        return bool(self.entities or self.documents)


@dataclass(frozen=True, slots=True)
class ChunkChoice:
    """Which chunks the mode `naive` reads."""

    top_k: int = CHUNKS  # at most
    cosine: bool = False  # by vectors alone, as naive RAG is published
    embedding: str = "passage"  # of a chunk: its best passage's, or "average", the mean of these, as published

    def __post_init__(self) -> None:
        """Raise UsageError for invalid values."""
        if self.top_k < 1:
            raise UsageError(f"top_k is at least 1, not {self.top_k}", hint="--top-k 12")
        if self.embedding not in ("passage", "average"):
            raise UsageError(f"no embedding {self.embedding!r}", hint="--embedding passage, or average")


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How to answer. The defaults are those of the command line."""

    mode: str = AUTO
    level: int | None = None  # of communities, for the mode "global"; 0 is the coarsest
    max_context_tokens: int | None = None  # of evidence; None: 2,500, of a tree 1,700
    filters: Filters = field(default_factory=Filters)
    tree: TreeChoice = field(default_factory=TreeChoice)  # for the mode "tree"
    chunks: ChunkChoice = field(default_factory=ChunkChoice)  # for the mode "naive"
    retriever: Retriever | None = None  # searches instead of the modes

    def __post_init__(self) -> None:
        """Raise UsageError for invalid options, and for options of another mode."""
        if self.mode not in MODES:
            raise UsageError(f"no mode {self.mode!r}", hint=f"the modes are {', '.join(MODES)}")
        if self.retriever is not None and self.mode != AUTO:
            raise UsageError("a retriever searches instead of a mode", hint="leave one of them out")
        if self.level is not None and self.mode != GLOBAL:
            raise UsageError("a level is for the mode global", hint="--mode global --level N")
        if self.max_context_tokens is not None and self.max_context_tokens < 1:
            raise UsageError(f"max_context_tokens is at least 1, not {self.max_context_tokens}")
        if self.tree != TreeChoice() and self.mode not in (TREE, AUTO):
            raise UsageError("which nodes of a tree are read is for the mode tree", hint="--mode tree")
        if self.chunks != ChunkChoice() and self.mode != NAIVE:
            raise UsageError("which chunks are read is for the mode naive", hint="--mode naive")
        check_filters(self.filters)


def check_filters(filters: Filters) -> None:
    """Raise UsageError for years out of order or range, and for names that are no text; needs no database."""
    for value in (*filters.documents, *filters.languages, *filters.kinds, *filters.types):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise UsageError(f"{value!r} has half a character", hint="write the name again, in UTF-8")
    for name, year in (("since", filters.since), ("until", filters.until)):
        if year is not None and not MIN_YEAR <= year <= MAX_YEAR:
            raise UsageError(f"--{name} is a year from {MIN_YEAR} to {MAX_YEAR}, not {year}")
    if filters.since is not None and filters.until is not None and filters.since > filters.until:
        raise UsageError(
            f"no year is both from {filters.since} on and up to {filters.until}", hint="--since 1799 --until 1804"
        )


@dataclass(frozen=True, slots=True)
class Search:
    """What to search for, how, and with which indexes: a name that is None is not searched."""

    graph: str
    question: Question
    words: str | None = None  # full-text query
    vector: tuple[float, ...] | None = None
    chunk_index: str | None = None
    node_index: str | None = None  # nodes of narrative trees
    passage_index: str | None = None  # parts of chunks; `chunk_index` has their means
    by_graph: frozenset[str] = frozenset()  # names of vector indexes that can be searched inside the graph
    scope: Scope | None = None  # None: nothing is filtered
    rest: tuple[float, ...] | None = None  # vector of the question without its names
    linked: Linked | None = None  # what the question names; None: not looked up
    options: AskOptions = field(default_factory=AskOptions)
    mode: str = AUTO  # the one that was named, or chosen
    is_overview: bool = False  # the question is about all that there is

    @property
    def context_tokens(self) -> int:
        """How many tokens of evidence are read at most."""
        return self.options.max_context_tokens or (TREE_TOKENS if self.mode == TREE else CONTEXT_TOKENS)

    def inside(self, **indexes: str | None) -> dict[str, str]:
        """Return those of `indexes` (parameter=name) that can be searched inside the graph, for `Query.searching`."""
        return {parameter: name for parameter, name in indexes.items() if name in self.by_graph and name}


# What modes fill in. `retrieve.ask` adds question, mode and times, and says that nothing was found where no text is.
UNANSWERED = Answer("", "", "", found=False, citations=(), evidence=(), usage=Usage(), seconds=0.0)


class Retriever(Protocol):
    """Finds what an answer is made from."""

    def retrieve(self, search: Search) -> Found:
        """Return what it finds for `search.question`, the best first; nothing outside `search.scope` may be found.

        A claim is checked against `Found.chunks`, so their ids and texts must be those of the graph.
        """


def texts(row: Mapping[str, Any], names: str) -> dict[str, Any]:
    """Return columns of a row as texts; what is missing is empty."""
    return {name: str(row[name] or "") for name in names.split()}


def read_chunk(row: Mapping[str, Any]) -> FoundChunk:
    """Return the chunk in a row of a retrieval query."""
    return FoundChunk(
        **texts(row, "id text section document language"),
        tokens=row["tokens"] or 0,
        score=float(row["score"] or 0.0),
        near=tuple((start, near) for start, near in row.get("near", ())),
        corrections=read_corrections(row.get("corrections", ())),
        row=row.get("row"),
    )


def read_corrections(rows: Iterable[Sequence[Any]]) -> tuple[tuple[int, int, str], ...]:
    """Return what a person corrected in a chunk: start and end of the words, and a sentence on them."""
    found = []
    for start, end, wrong, right, reason in rows:
        instead = f"; right is “{right}”" if right else ""
        found.append((start, end, f"corrected by hand: “{wrong}” is wrong{instead}{f' ({reason})' if reason else ''}"))
    return tuple(found)


def read_entity(row: Mapping[str, Any]) -> FoundEntity:
    """Return the entity in a row of a retrieval query."""
    return FoundEntity(
        **texts(row, "id name type description role"),
        aliases=tuple(row["aliases"] or ()),
        named=bool(row["named"]),
        score=float(row["score"]),
        mentions=tuple(Place(**place) for place in row["mentions"]),
    )


def read_fact(row: Mapping[str, Any]) -> FoundFact:
    """Return the fact in a row of a retrieval query."""
    return FoundFact(
        **texts(row, "id type source source_id target target_id description start_date"),
        evidence_count=row["evidence_count"] or 0,
        score=float(row["score"]),
        statements=tuple(Place(**place) for place in row["statements"]),
    )
