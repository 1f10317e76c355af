"""The frozen records that cross the borders between stages.

Text offsets are code points into the decoded, header-stripped text, half open: `text[start:end]`; its lines end with
line feeds, its letters are composed (NFC).
Ids are 32 lower-case hexadecimal digits (the first half of a SHA-256), computed from content, never random.
Mappings in records are treated as read-only; all records pickle.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kg_neo4j.display import Readable

PropertyValue = str | int | float
EXTRACTION_VERSION = 3
Cell = str | int | float | bool | None | tuple["Cell", ...] | Mapping[str, "Cell"]  # a value in a row of a query
CellParameter = str | int | float | bool | None | list[str] | list[int] | list[float]


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
    kind: str  # "file", "wikipedia", "table", "adopted" or "hand"
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
    left_out: str = ""  # what of the source is not in `text`, in words; a note in reports, not stored
    author: str = ""  # as the source gives it
    date: str = ""  # likewise, in any form
    version: str = ""  # of a web page: what its server marks this text by
    lines: tuple[int, ...] = ()  # of a table: the line or row of the source that each line of `text` is
    adopted: str = ""  # JSON: which label or type of relationships of another graph the rows of the table are


@dataclass(frozen=True, slots=True)
class SkippedSource:
    """A source that was not read, and why."""

    source: str
    reason: str
    kind: str = ""  # of a file in a folder that is not read: its suffix, "-" or "hidden"; empty: it was refused


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
    line: int | None = None  # of a table: the line or row of the source that the chunk is, from 1


# ---------------------------------------------------------------------------------------------------- 2 extract


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls to models cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None  # None where no price is known
    cached_tokens: int = 0  # of the input, those that the provider's own cache of prompts had
    reasoning_tokens: int = 0  # of the output, those of thoughts that are not shown

    def __add__(self, other: Usage) -> Usage:
        """Add two usages; the price is known only where both are, a usage without calls costs nothing."""
        mine, theirs = self.usd if self.calls else 0.0, other.usd if other.calls else 0.0
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if mine is None or theirs is None else mine + theirs,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
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
    step: str = "whole"  # what was asked for: "whole", "continue", "half", "glean" or "repair"
    context_hash: str = ""  # of what was carried over from earlier chunks; no part of the answer's key
    request_hash: str = ""  # of the messages as they were sent; the key in the cache of answers
    offsets: tuple[tuple[int, int], ...] = ()  # in the chunk, of the sentences whose numbers were shown
    around: str | None = None  # words of it that are shown with the chunk, not in it; None: no model's answer
    kept: Usage = Usage()  # from the cache: what it took when it was paid for; `usage` is nothing then


@dataclass(frozen=True, slots=True)
class Span:
    """Where the words of a row are in the chunk, and how they were found.

    The method is "exact" or "folded" for copied words, else "sentences" or "placed by rule". `others` are the places of
    further quotes, in order; one before `start` is the first row of the table whose row is quoted.
    """

    start: int
    end: int
    method: str
    others: tuple[tuple[int, int], ...] = ()


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
    flags: tuple[RejectionReason, ...] = ()  # what its sentences do not say


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
    stated: bool = True  # False: likely, but no sentence says it; only the built-in extractor gives such rows
    flags: tuple[RejectionReason, ...] = ()  # what its sentences do not say


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
    TOO_MANY_SENTENCES = "too_many_sentences"  # more than a row may name
    NO_SUCH_SENTENCE = "no_such_sentence"  # a number that was not shown
    NO_EVIDENCE = "no_evidence"  # the evidence words are not in the chunk, and the setting says reject
    ANSWER_TOO_LARGE = "answer_too_large"  # beyond the cap on bytes or rows
    FROM_EXAMPLE = "from_example"  # of the prompt's example, and not in the text
    UNKNOWN_COLUMN = "unknown_column"  # of a value: the schema has no such column
    # A row is flagged for these, or refused where the setting says reject.
    NAME_NOT_IN_TEXT = "name_not_in_text"
    ENDS_NOT_IN_SENTENCES = "ends_not_in_sentences"  # the sentences name neither end of a relationship
    DATE_NOT_IN_SENTENCES = "date_not_in_sentences"
    NUMBER_NOT_IN_SENTENCES = "number_not_in_sentences"
    ENDS_SWAPPED = "ends_swapped"  # they fit the type only the other way round
    ENDS_DO_NOT_FIT = "ends_do_not_fit"  # they fit the type neither way round, and the schema checks that
    SELF_LOOP = "self_loop"  # from a node to itself
    INVERSE = "inverse"  # an earlier row with the same sentences says it the other way round


@dataclass(frozen=True, slots=True)
class Rejection:
    """A data row that was read and refused: counted and shown, never dropped in silence."""

    line: int
    text: str  # the row as the model wrote it, shortened to 500 characters
    reason: RejectionReason | ChunkOutcome
    detail: str = ""
    round: int = 0
    repaired: bool = False  # asked for again, and accepted then; otherwise quarantined


@dataclass(frozen=True, slots=True)
class DroppedValue:
    """An optional value that was left out; its row stays."""

    line: int
    column: str
    value: str  # as the model wrote it, shortened to 200 characters
    reason: RejectionReason
    row: str  # as the model wrote it, shortened to 500 characters


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
    ignored: float = 0.0  # the largest share of an answer that is neither row nor header nor thought, 0 to 1
    dropped: tuple[DroppedValue, ...] = ()
    version: int = EXTRACTION_VERSION

    def __post_init__(self) -> None:
        counted = len(self.nodes) + len(self.relationships) + self.repeated + len(self.rejections)
        if counted != self.rows_read:
            raise ValueError(f"chunk {self.chunk.id}: {self.rows_read} rows read, {counted} accounted for")

    @property
    def usage(self) -> Usage:
        """Sum over the answers."""
        return sum((answer.usage for answer in self.answers), Usage())


# ------------------------------------------------------------------------------------------------------ 3 graph


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Data rows of CSV answers. read = accepted + rejected."""

    read: int = 0
    accepted: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class QuoteCounts:
    """Accepted rows whose words cannot be shown; rows that only repeat others are not among them."""

    missing: int = 0  # without a quote
    not_found: int = 0  # with a quote that is not in the text


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCounts(Readable):
    """What a run read and extracted, and what that cost."""

    documents: int = 0
    chunks: int = 0
    rows: RowCounts = RowCounts()
    usage: Usage = Usage()
    seconds: float = 0.0
    skipped: tuple[SkippedSource, ...] = ()
    failed_chunks: tuple[str, ...] = ()  # one line each: which chunk and why
    rejections: Mapping[str, int] = field(default_factory=dict)  # reason -> rows
    repaired: int = 0  # rejected rows that were accepted when they were asked for again; the others are quarantined
    flags: Mapping[str, int] = field(default_factory=dict)  # reason -> accepted rows that their sentences do not say
    dropped: Mapping[str, int] = field(default_factory=dict)  # reason -> optional values that were left out
    steps: Mapping[str, Usage] = field(default_factory=dict)  # what each round of asking cost: "whole", "glean", ...
    notes: tuple[str, ...] = ()
    quotes: QuoteCounts = QuoteCounts()
    few_rows: bool = False  # a model gave fewer than one row for 500 tokens of all texts together


@dataclass(frozen=True, slots=True)
class QuarantinedRow:
    """A row that was refused and that asking again did not repair; or a failed chunk, as line 0 without a text."""

    document: str  # title
    chunk: int  # place in the document, from 0
    chunk_id: str
    rejection: Rejection  # of a failed chunk: its outcome is the reason


@dataclass(frozen=True, slots=True)
class LoadReport(RunCounts):
    """What one load did. `nodes` and `relationships` are totals of the graph afterwards (entities only)."""

    graph: str
    nodes: int
    relationships: int
    communities: int
    changes: int  # writes that altered the graph; 0 on a repeat
    unfinished: tuple[str, ...] = ()  # one line each: what is derived with a model and was not; asked again next time


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What a load would ask a model, before anything is asked. Calls, tokens, price and seconds are estimates."""

    graph: str
    model: str | None  # None: the built-in rules; nothing is paid
    documents: int
    chunks: int
    chunks_to_ask: int  # about the others nothing is asked: they are done, or their answers are stored
    usage: Usage  # of the chat model; `usd` is None where its price is not known
    steps: Mapping[str, Usage]  # the same by round: "whole", "glean", "repair"
    embedding: Usage  # of the embedding model; without calls where it is the built-in one
    concurrency: int  # calls in flight
    seconds: float  # of waiting for the chat model
    assumptions: tuple[str, ...]  # what the estimate rests on, one sentence each
    skipped: tuple[SkippedSource, ...] = ()
    notes: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------------- 4 organise


@dataclass(frozen=True, slots=True)
class Community:
    """A set of entities that Leiden put together. Level 0 is the coarsest."""

    id: str
    graph: str
    level: int
    members: tuple[int, ...]  # Entity.num, ascending
    parent_id: str | None = None


# --------------------------------------------------------------------------------------------------- 5 retrieve


@dataclass(frozen=True, slots=True)
class Fact:
    """A relationship between two entities, with their names and ids."""

    id: str
    source: str
    source_id: str
    type: str
    target: str
    target_id: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What an answer may rest on. Nothing set: everything; several kinds of filter hold together.

    `since` and `until` are years, both included, negative for BC: of dated facts and of lives, because documents have
    no date of their own. `types` are types of entities.
    """

    documents: tuple[str, ...] = ()  # ids, titles or keys; * and ? stand for any letters and for one
    languages: tuple[str, ...] = ()  # codes, as documents have them: "en"
    kinds: tuple[str, ...] = ()  # of documents: "file", "wikipedia", "table", "adopted"
    types: tuple[str, ...] = ()  # upper snake case; other spellings are brought into it
    since: int | None = None
    until: int | None = None

    def __bool__(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Routing:
    """What the mode "auto" chose, and why in a few words."""

    mode: str
    why: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One retrieved unit: a chunk, an entity or a fact, with the chunk that supports it."""

    kind: str  # "chunk", "entity", "fact", "report" (mode global: a community's id), "summary" or "detail" (mode tree)
    id: str
    text: str
    score: float  # higher is better; comparable within one retrieval only
    chunk_id: str | None = None
    document: str | None = None  # title
    start: int | None = None  # offsets into the chunk
    end: int | None = None
    token_count: int = 0
    aspect: str = ""  # of a summary
    level: int = 0  # of a summary, from 1


@dataclass(frozen=True, slots=True)
class Citation(Readable):
    """Words of a chunk that an answer rests on. Offsets are relative to the chunk."""

    chunk_id: str
    document: str
    start: int
    end: int
    quote: str
    page: int | None = None  # of a PDF, from 1: where the quote begins; None where the document has no pages
    line: int | None = None  # of a table, from 1: the line or row of the source
    correction: str = ""  # what a person corrected in these words

    @property
    def titled(self) -> str:
        """The document's title in one line, with the page or the line."""
        place = f", page {self.page}" if self.page else f", line {self.line}" if self.line else ""
        return " ".join(self.document.split()) + place


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentence that answers best, and its neighbours: at most 80 words."""

    citation: Citation  # the sentence
    before: str
    after: str
    section: str  # the heading above it; empty where there is none


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, and whether the words that it cites support it."""

    text: str  # without its marks
    citations: tuple[int, ...]  # numbers in `Answer.citations`, from 1
    # "supported", "quoted" (no more is known), "contradicted", "uncited"; by a model also "not all quoted", "beside the
    # question"
    support: str
    reason: str = ""  # what the cited words lack, or say otherwise; empty for one that is supported
    judged_by: str = "words"  # or "model", or "path": read off the steps of `Answer.path`


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step to a short answer: a relationship of the graph, or words of a passage that say as much."""

    source: str  # name
    relation: str  # type of the fact; in lower case where it was read in a passage
    target: str  # name, date, place, ...
    citation: int  # number in `Answer.citations`, from 1


@dataclass(frozen=True, slots=True)
class CitationPath:
    """How an answer of the global mode came to a citation: a report, and an entity or fact that it cites."""

    community_id: str
    level: int  # of the community
    number: int
    title: str  # of the report
    kind: str  # "entity" or "fact"
    id: str  # of the entity or fact
    name: str  # of the entity; source, type and target of the fact


@dataclass(frozen=True, slots=True)
class TreeStep:
    """A node of a narrative tree on the way from what was read to the chunk that is cited."""

    kind: str  # "summary", "detail" or "passage"
    id: str
    aspect: str = ""  # of a summary
    level: int = 0  # of a summary, from 1
    number: int = 0  # of a summary in its aspect and level, of a detail of its leaf, of a passage


@dataclass(frozen=True, slots=True)
class KindShare:
    """How much of what a narrative tree gave to a question is of one kind."""

    kind: str  # "chunk", "summary" or "detail"
    aspect: str  # of summaries
    nodes: int
    share: float  # of all nodes that were read, 0 to 1


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """Mode cypher: the query that an answer was read from, as it ran, and what it gave."""

    cypher: str
    parameters: Mapping[str, CellParameter]
    template: str | None  # name in cypher/questions; None: written by a model
    model: str | None  # None: a canned query
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    rows_cut: int  # further rows, which were counted and left out
    is_more: bool = False  # there may be more than those: the query was stopped at its bound


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Readable):
    """The answer to a question. `found` is False where none is stated; `passages` may hold it nevertheless.

    Without a model `answer` is then the best sentence of them, and no claim is made. An answer is true where it is
    found, and iterates its sources.
    """

    question: str
    mode: str
    answer: str
    found: bool
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    usage: Usage
    seconds: float
    notes: tuple[str, ...] = ()  # what was left out or removed (invalid citations, cut evidence, stale data)
    paths: tuple[CitationPath, ...] = ()  # global mode: one for each citation
    claims: tuple[Claim, ...] = ()  # the answer's sentences, checked
    short: str = ""  # a name, a date, a number, "yes" or "no", where one was asked for and found
    path: tuple[PathStep, ...] = ()  # how the graph leads to `short`
    retrieval_seconds: float = 0.0
    model_seconds: float = 0.0
    routing: Routing | None = None  # mode "auto": what it chose and why
    query: QueryTrace | None = None  # mode "cypher"; None where no query ran
    descents: tuple[tuple[TreeStep, ...], ...] = ()  # mode "tree": the way to each citation; empty: the chunk was read
    shares: tuple[KindShare, ...] = ()  # mode "tree": of what kinds was read
    limits: tuple[str, ...] = ()  # what such an answer cannot know, one line each, with what to do: always shown
    passages: tuple[Passage, ...] = ()  # without a model, or where it found no answer: at most three, the best first

    def __bool__(self) -> bool:
        return self.found

    def __iter__(self) -> Iterator[Citation]:
        return iter(self.sources)

    @property
    def text(self) -> str:
        """The answer; where none was found, the words of the passage that fits best."""
        best = () if self.found else self.passages[:1]
        return " ".join(f"{each.before} {each.citation.quote} {each.after}" for each in best).strip() or self.answer

    @property
    def sources(self) -> tuple[Citation, ...]:
        """What it rests on, in the order of its marks, then the passages that fit best: document, page, quote."""
        return tuple(dict.fromkeys((*self.citations, *(each.citation for each in self.passages))))
