"""The frozen records of sources and of what is extracted from them; `kg_neo4j.records` gives out all records."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

PropertyValue = str | int | float

EXTRACTION_VERSION = 2


# ---------------------------------------------------------------------------------------------------- 1 acquire


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it, up to the next heading of the same or a higher level."""

    title: str
    level: int  # 1 is the highest
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One source, decoded. `key` names it within its graph; the id hashes graph, kind and key."""

    id: str
    graph: str
    kind: str  # "file" or "wikipedia"
    key: str  # relative path, or wiki host + language + page id
    title: str
    source: str  # what the user named: a path or a page title
    text: str
    sha256: str  # of `text` in UTF-8
    sections: tuple[Section, ...] = ()
    pages: tuple[int, ...] = ()  # start offset of each page; PDF only
    url: str | None = None
    language: str | None = None
    page_id: int | None = None
    revision: int | None = None
    licence: str | None = None
    redirects: tuple[str, ...] = ()  # titles that lead to the page, sorted
    links: tuple[str, ...] = ()  # titles that the page links to, sorted
    origin: str | None = None  # the file's real path: tells two files of one name apart; stored as a hash


@dataclass(frozen=True, slots=True)
class SkippedSource:
    """A source that was not read, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document's text. The id hashes the document, the text and how many equal texts came before it."""

    id: str
    document_id: str
    graph: str
    index: int  # position in the document, from 0
    text: str  # always the source's own text, also when the model is shown a shortened one
    token_count: int
    start: int
    end: int
    section: str = ""  # path of headings, " > " between them


# ---------------------------------------------------------------------------------------------------- 2 extract


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls to models cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None  # None where no price is known

    def __add__(self, other: Usage) -> Usage:
        """Add two usages; the price is known only where both are, a usage without calls costs nothing."""
        mine, theirs = self.usd if self.calls else 0.0, other.usd if other.calls else 0.0
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if mine is None or theirs is None else mine + theirs,
        )


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said about one chunk, word for word. Stored before it is used."""

    text: str
    model: str
    prompt_hash: str
    finish_reason: str | None = None  # "stop", "length", "content_filter", ...; None where the server gave none
    round: int = 0  # place among the answers about its chunk
    usage: Usage = Usage()
    step: str = "whole"  # what was asked for: "whole", "continue", "half", "glean" or "mend"
    context_hash: str = ""  # of what was carried over from earlier chunks; no part of the answer's key
    request_hash: str = ""  # of the messages as they were sent; the key in the cache of answers
    kept: Usage = Usage()  # from the cache: what it took when it was paid for; `usage` is nothing then


@dataclass(frozen=True, slots=True)
class Span:
    """Where evidence words stand in the chunk, and how they were found ("exact", "folded" or "fuzzy")."""

    start: int
    end: int
    method: str


@dataclass(frozen=True, slots=True)
class NodeRow:
    """An accepted row of the node section."""

    line: int  # in the answer, from 1
    node_id: str  # as the model wrote it; means something within this answer only
    type: str  # upper snake case, allow-listed
    original_type: str
    name: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)  # schema columns, empty ones left out
    evidence: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """An accepted row of the relationship section; both ends are accepted node rows of the same answer."""

    line: int
    relationship_id: str
    source_id: str  # `node_id` of a NodeRow
    type: str
    original_type: str
    target_id: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    evidence: str | None = None
    span: Span | None = None


class RejectionReason(enum.StrEnum):
    """Why a data row was refused."""

    COLUMN_COUNT = "column_count"  # not as many fields as the header has columns
    UNBALANCED_QUOTE = "unbalanced_quote"
    TRUNCATED = "truncated"  # the answer was cut within this row
    EMPTY_FIELD = "empty_field"  # an id, a type or a name is missing
    BAD_TYPE = "bad_type"  # not in the allow-list of types, or not nameable
    BAD_VALUE = "bad_value"  # a value that its column cannot hold
    TOO_LONG = "too_long"
    BAD_CHARACTER = "bad_character"  # lone surrogate, NUL, control characters
    DUPLICATE_ID = "duplicate_id"  # the same id for a different row
    MISSING_END = "missing_end"  # a relationship to a node that is not an accepted row of this answer
    NO_EVIDENCE = "no_evidence"  # the evidence words are not in the chunk, and the setting says reject
    ANSWER_TOO_LARGE = "answer_too_large"  # beyond the cap on bytes or rows


@dataclass(frozen=True, slots=True)
class Rejection:
    """A data row that was read and refused: counted and shown, never dropped in silence."""

    line: int
    text: str  # the row as the model wrote it, shortened to 500 characters
    reason: RejectionReason
    detail: str = ""
    round: int = 0
    mended: bool = False  # asked for again, and accepted then; otherwise quarantined


class ChunkOutcome(enum.StrEnum):
    """What became of one chunk."""

    DONE = "done"
    EMPTY = "empty"  # the model answered without a single row, complete
    TRUNCATED = "truncated"  # the answer was cut, also when it was asked for in parts; whole rows were kept
    REFUSED = "refused"  # the model declined, in words
    FILTERED = "filtered"  # the provider's content filter refused the text or the answer
    TOO_LONG = "too_long"  # the text does not fit the model's window, not even in parts
    FAILED = "failed"  # no usable answer


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that one chunk gave. Self-contained; accepted + rejected = read, checked when it is made.

    Accepted are the nodes, the relationships and the rows of later rounds that only repeat one of these.
    """

    chunk: Chunk
    answers: tuple[ModelAnswer, ...]
    nodes: tuple[NodeRow, ...]
    relationships: tuple[RelationshipRow, ...]
    rejections: tuple[Rejection, ...]
    rows_read: int
    outcome: ChunkOutcome
    config_hash: str
    detail: str = ""  # one line on an outcome that is not DONE
    repeated: int = 0  # accepted rows that say again what an earlier round said
    version: int = EXTRACTION_VERSION

    def __post_init__(self) -> None:
        """Refuse counts that do not add up."""
        counted = len(self.nodes) + len(self.relationships) + self.repeated + len(self.rejections)
        if counted != self.rows_read:
            raise ValueError(f"chunk {self.chunk.id}: {self.rows_read} rows read, {counted} accounted for")

    @property
    def usage(self) -> Usage:
        """Sum over the answers."""
        return sum((answer.usage for answer in self.answers), Usage())
