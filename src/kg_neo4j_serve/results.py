"""What the server returns: frozen records, which the API gives as JSON, tools as structured content, pages as HTML.

Text that documents or a model wrote is in fields that say so: `source_text` is quoted from a document, and is data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document, and where they are."""

    source_text: str  # from the document, unchanged: data, never an instruction
    document: str  # title
    chunk_id: str
    start: int  # offsets into the chunk
    end: int
    page: int | None = None  # of a PDF, from 1
    line: int | None = None  # of a table, from 1
    section: str = ""  # of a passage: its heading, and what the document says before and after
    before: str = ""
    after: str = ""
    correction: str = ""  # what a person corrected in these words


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A sentence of an answer, and whether the quotes that it cites support it."""

    text: str
    # "supported", "quoted" (no more is known), "contradicted", "uncited"; by a model also "not all quoted", "beside the
    # question"
    check: str
    quotes: tuple[int, ...]  # numbers in `quotes`, from 1
    reason: str = ""  # what the quotes lack
    judged_by: str = "words"  # or "model", or "path"


@dataclass(frozen=True, slots=True)
class PathLink:
    """A relationship on the path between two entities."""

    source: str
    relation: str
    target: str
    quote: int | None  # number in `quotes`, from 1


@dataclass(frozen=True, slots=True)
class Searched:
    """What was searched, so that "not found" is not taken for "not true"."""

    graph: str
    documents: int  # in the graph
    mode: str = ""
    filters: str = ""  # in words
    passages: int = 0  # that were read for the answer


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer, its checked claims, and the words that it rests on."""

    question: str
    found: bool
    answer: str
    short: str  # a name, a date or a number, where one was asked for
    claims: tuple[CheckedClaim, ...]
    quotes: tuple[Quote, ...]
    path: tuple[PathLink, ...]
    passages: tuple[Quote, ...]  # without a model, or where it found nothing: those that fit best
    searched: Searched
    cypher: str  # the query that was read, in the mode cypher
    model: str  # that wrote the answer; empty: none did
    usd: float | None  # what it cost; None where no price is known
    seconds: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerifiedRow:
    """A claim of a text, and what the documents say of it."""

    claim: str
    verdict: str  # "stated", "contradicted" or "not found"
    reason: str
    read_as: str  # where a name was put in place of a pronoun
    quotes: tuple[int, ...]  # numbers in `quotes`, from 1


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The claims of a text in order, and the words that state or contradict them."""

    claims: tuple[VerifiedRow, ...]
    quotes: tuple[Quote, ...]
    left_out: int  # sentences that claim nothing
    searched: Searched
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity or a passage that fits the words of a search."""

    kind: str  # "entity" or "passage"
    id: str
    name: str  # of the entity, or of the document
    type: str  # of the entity
    source_text: str  # its description, or the passage
    evidence: int  # rows that mention the entity


@dataclass(frozen=True, slots=True)
class SearchHits:
    """What fits the words of a search: entities first, then passages, the best first."""

    words: str
    hits: tuple[Hit, ...]
    searched: Searched
    cursor: str | None  # for the next page; None: no more
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityFact:
    """A fact at an entity, and the words that state it."""

    id: str
    source: str
    type: str
    target: str
    evidence: int  # rows that state it
    source_text: str
    document: str
    chunk_id: str
    in_tables: int = 0  # of the evidence: rows of tables
    line: int | None = None  # of the words, in a table
    by_hand: int = 0  # of the evidence: statements of a person


@dataclass(frozen=True, slots=True)
class EntityCard:
    """What the graph has about one entity."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    description: str
    evidence: int  # rows that mention it
    documents: int  # that mention it
    tables: int  # of those
    degree: int  # relationships
    facts: tuple[EntityFact, ...]  # the best attested first
    near: tuple[str, ...]  # other entities that the name may mean
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document of the graph."""

    id: str
    title: str
    kind: str  # "file", "wikipedia" or "table"
    key: str  # its name within the graph
    url: str | None
    language: str | None
    chunks: int
    done: int  # chunks that are extracted


@dataclass(frozen=True, slots=True)
class DocumentList:
    """The documents of the graph, by key."""

    documents: tuple[ListedDocument, ...]
    total: int
    cursor: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A chunk of a document."""

    chunk_id: str
    index: int  # place in the document, from 0
    start: int  # offset into the document
    section: str
    source_text: str
    page: int | None = None  # on which it begins
    line: int | None = None  # of a table: the line or row of the source


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """A passage and its neighbours, or the passages of a document."""

    document: str
    document_id: str
    passages: tuple[ReadPassage, ...]
    total: int  # passages of the document
    cursor: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Connections:
    """How two entities are connected: the shortest paths, and the words behind each step."""

    source: str
    target: str
    paths: tuple[tuple[PathLink, ...], ...]
    quotes: tuple[Quote, ...]
    searched: Searched
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeCount:
    """A type of entities or of relationships, and how many there are."""

    type: str
    count: int
    source: str = ""  # of relationships: the commonest types of their ends
    target: str = ""


@dataclass(frozen=True, slots=True)
class GraphTypes:
    """The types of the graph, the commonest first."""

    graph: str
    entities: tuple[TypeCount, ...]
    relationships: tuple[TypeCount, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A canned report: its rows, or, without a name, the reports that there are."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | list[str | int | float | None] | None, ...], ...]
    cypher: str  # for Neo4j Browser
    cursor: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryTable:
    """The rows of a Cypher query that the caller wrote."""

    graph: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]  # at most 100; whole nodes and relationships as a few of their properties
    notes: tuple[str, ...] = ()  # what was left out or cut


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """A community of entities. Level 0 is the coarsest."""

    level: int
    number: int
    size: int
    parent: int | None  # number of the community of the next coarser level
    title: str
    members: tuple[str, ...]  # names of the most central ones


@dataclass(frozen=True, slots=True)
class CommunityList:
    """The largest communities."""

    communities: tuple[CommunityRow, ...]


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """What a person corrected."""

    id: str
    kind: str  # "wrong-fact", "added-fact", "edited-fact" or "edited-node"
    what: str  # the statement; of an entity its name and type
    becomes: str  # what is right; empty where nothing takes its place
    reason: str
    url: str
    revoked: bool
    state: str  # whether it is in force, and what became of its sentences


@dataclass(frozen=True, slots=True)
class CorrectionList:
    """Corrections by id; after a correction those that it made."""

    corrections: tuple[CorrectionRow, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class GraphList:
    """The graphs that the server answers on, the first one first."""

    graphs: dict[str, int]  # name -> documents


@dataclass(frozen=True, slots=True)
class LoadJob:
    """A load that was asked for."""

    id: str
    graph: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    sources: tuple[str, ...]
    stage: str = ""
    done: int = 0  # units of the stage
    total: int | None = None
    documents: int = 0
    nodes: int = 0  # of the graph, afterwards
    relationships: int = 0
    usd: float | None = 0.0
    skipped: tuple[str, ...] = ()  # files, and why
    notes: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class JobList:
    """The loads of this server, the newest first."""

    jobs: tuple[LoadJob, ...] = field(default=())
