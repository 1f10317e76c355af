"""From a document's chunks to extractions: ask with bounded concurrency, read, validate, and yield in chunk order.

One chunk's trouble stays with that chunk: a refused, cut or useless answer becomes an outcome with a reason. A model
that refuses the key or answers nobody stops the run; what was yielded before is whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong, UsageError
from kg_neo4j.extract import rows as csv_rows
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.validation import FLAG, REJECT, ToSource, validate
from kg_neo4j.extract.workers import map_in_order
from kg_neo4j.records import (
    EXTRACTION_VERSION,
    Chunk,
    ChunkOutcome,
    Document,
    Extraction,
    ModelAnswer,
    NodeRow,
    Rejection,
    RejectionReason,
    RelationshipRow,
)

RULES_VERSION = 1  # of the parser, the validator and the normaliser: raised when the same answer gives other rows
PREPROCESSING = ("none", "stopwords")
USABLE = frozenset({ChunkOutcome.DONE, ChunkOutcome.EMPTY, ChunkOutcome.TRUNCATED})

_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|i (?:can(?:no|'|’)t|can not|am unable to|(?:'|’)m unable to|won(?:'|’)t)|"
    r"cannot (?:assist|help|comply)|against (?:my|our) (?:guidelines|policy))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """How chunks become rows. Pickles where the extractor does; clients are built where they are used."""

    schema: Schema
    extractor: Extractor
    concurrency: int = 1  # chunks asked about at a time; never changes the result
    evidence: str = FLAG  # or "reject": rows whose evidence is not in the text
    preprocess: str = "none"  # or "stopwords": the model sees shortened text (W1's A1)

    def __post_init__(self) -> None:
        """Refuse values that cannot be meant."""
        if self.evidence not in (FLAG, REJECT):
            raise UsageError(f"evidence {self.evidence!r}", hint=f"one of {FLAG}, {REJECT}")
        if self.preprocess not in PREPROCESSING:
            raise UsageError(f"preprocess {self.preprocess!r}", hint=f"one of {', '.join(PREPROCESSING)}")
        if self.concurrency < 1:
            raise UsageError(f"concurrency {self.concurrency}", hint="1 or more")

    @property
    def config_hash(self) -> str:
        """Hash of everything that shapes an extraction besides the text: extractor, schema, rules, settings."""
        versions = (RULES_VERSION, EXTRACTION_VERSION)
        parts = (self.extractor.config_hash, self.schema.hash, self.evidence, self.preprocess, versions)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the model sees of a chunk, and the way back to the chunk's own text."""

    text: str
    to_source: ToSource | None = None


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """One chunk to extract. `stored` are answers already paid for; where they are of use, nothing is asked."""

    document: Document
    chunk: Chunk
    stored: tuple[ModelAnswer, ...] = ()


def extract_all(jobs: Iterable[ExtractionJob], config: ExtractionConfig) -> Iterator[tuple[Document, Extraction]]:
    """Yield one extraction for each job, in their order; jobs of many documents share the calls in flight.

    Raises ModelRefused or ModelUnavailable (no further call is made; extractions that were complete are yielded first),
    what `jobs` itself raises, and nothing else.
    """

    def extract(job: ExtractionJob) -> tuple[Document, Extraction]:
        return job.document, extract_chunk(job.document, job.chunk, config, job.stored)

    yield from map_in_order(extract, jobs, config.concurrency)


def extract_document(
    document: Document,
    chunks: Sequence[Chunk],
    config: ExtractionConfig,
    *,
    stored: Mapping[str, tuple[ModelAnswer, ...]],
) -> Iterator[Extraction]:
    """Yield one extraction for each chunk of one document, in the order of `chunks`; see `extract_all`.

    `stored` maps chunk ids to answers already paid for.
    """
    jobs = (ExtractionJob(document, chunk, stored.get(chunk.id, ())) for chunk in chunks)
    for _, extraction in extract_all(jobs, config):
        yield extraction


def extract_chunk(
    document: Document, chunk: Chunk, config: ExtractionConfig, stored: Sequence[ModelAnswer] = ()
) -> Extraction:
    """Extract one chunk from the stored answers, or by asking; raises ModelRefused or ModelUnavailable."""
    shown = _shown(chunk, config, document.language)
    if stored:
        again = interpret(chunk, tuple(stored), config, shown.text, shown.to_source)
        if again.outcome in USABLE:
            return again
    try:
        answers = _ask(document, chunk, config, shown.text)
    except ContentFiltered as error:
        return _without_rows(chunk, config, ChunkOutcome.REFUSED, str(error))
    except (ContextTooLong, BadModelAnswer) as error:
        return _without_rows(chunk, config, ChunkOutcome.FAILED, str(error))
    return interpret(chunk, answers, config, shown.text, shown.to_source)


def _ask(document: Document, chunk: Chunk, config: ExtractionConfig, text: str) -> tuple[ModelAnswer, ...]:
    """Return the answer on `text`; where it was cut, the answers on the two halves instead, as rounds 1 and 2.

    The cut answer's rows stand in the halves' answers again, so it is not kept; what it cost is counted with the first
    half. A half whose answer is cut, too, is kept as it is: the chunk is then marked as cut.
    """
    whole = config.extractor.answer(document, chunk, text)
    if whole.finish_reason != "length":
        return (whole,)
    halves = split_in_two(text)
    if len(halves) < 2:
        return (whole,)
    first, second = (config.extractor.answer(document, chunk, half) for half in halves)
    return replace(first, round=1, usage=whole.usage + first.usage), replace(second, round=2)


def split_in_two(text: str) -> tuple[str, ...]:
    """Return the two halves of `text`, cut at the paragraph, else sentence, else space nearest to its middle."""
    middle = len(text) // 2
    for border in (r"\n\n+", r"(?<=[.!?])\s+", r"\s+"):
        places = [match.end() for match in re.finditer(border, text) if text[match.end() :].strip()]
        near = [place for place in places if len(text) // 4 <= place <= len(text) - len(text) // 4]
        if near:
            place = min(near, key=lambda each: abs(each - middle))
            return text[:place], text[place:]
    return (text,)


def interpret(
    chunk: Chunk,
    answers: tuple[ModelAnswer, ...],
    config: ExtractionConfig,
    shown_text: str,
    to_source: ToSource | None = None,
) -> Extraction:
    """Return what `answers` on `shown_text` say. Pure: the same answers always give the same extraction."""
    nodes: list[NodeRow] = []
    relationships: list[RelationshipRow] = []
    rejections: list[Rejection] = []
    count = 0
    outcomes: list[tuple[ChunkOutcome, str]] = []
    for answer in answers:
        read = csv_rows.read(answer.text, config.schema, finish_reason=answer.finish_reason)
        valid = validate(read, config.schema, shown_text, evidence=config.evidence, to_source=to_source)
        nodes += (_of_round(node, answer.round) for node in valid.nodes)
        relationships += (_ends_of_round(each, answer.round) for each in valid.relationships)
        rejections += (replace(rejection, round=answer.round) for rejection in valid.rejections)
        count += read.count
        outcomes.append(_outcome(answer, read))
    outcome, detail = min(outcomes, key=lambda each: _PRECEDENCE.index(each[0]))
    return Extraction(
        chunk=chunk,
        answers=answers,
        nodes=tuple(nodes),
        relationships=tuple(relationships),
        rejections=tuple(rejections),
        rows_read=count,
        outcome=outcome,
        config_hash=config.config_hash,
        detail=detail,
    )


# Of several answers on one chunk: a cut one makes the chunk cut; rows make it done, whatever else failed.
_PRECEDENCE = (
    ChunkOutcome.TRUNCATED,
    ChunkOutcome.DONE,
    ChunkOutcome.EMPTY,
    ChunkOutcome.REFUSED,
    ChunkOutcome.FAILED,
)


def _outcome(answer: ModelAnswer, read: csv_rows.ReadRows) -> tuple[ChunkOutcome, str]:
    """Say what became of one answer; nothing but two header rows means that the text holds nothing."""
    cut = answer.finish_reason == "length" or any(
        rejection.reason is RejectionReason.TRUNCATED for rejection in read.rejections
    )
    if cut and not read.rows:
        return ChunkOutcome.FAILED, "the answer was cut before its first whole row; raise the model's limit on output"
    if cut:
        return ChunkOutcome.TRUNCATED, f"the answer was cut; {len(read.rows)} whole rows were kept"
    if read.rows:
        return ChunkOutcome.DONE, ""
    if read.sections and not read.rejections:
        return ChunkOutcome.EMPTY, "the model found nothing in this text"
    if read.rejections:
        return ChunkOutcome.FAILED, f"no usable row: {read.rejections[0].detail}"
    if answer.finish_reason == "content_filter" or _REFUSAL.search(answer.text[:400]):
        return ChunkOutcome.REFUSED, f"the model declined: {_shorten(answer.text)}"
    return ChunkOutcome.FAILED, f"the answer has no header row of the schema: {_shorten(answer.text) or 'it is empty'}"


def _of_round(node: NodeRow, number: int) -> NodeRow:
    """Keep ids of later rounds apart from those of the first: an id means something within its answer only."""
    return replace(node, node_id=f"{number}:{node.node_id}") if number else node


def _ends_of_round(row: RelationshipRow, number: int) -> RelationshipRow:
    if not number:
        return row
    return replace(row, source_id=f"{number}:{row.source_id}", target_id=f"{number}:{row.target_id}")


def _shown(chunk: Chunk, config: ExtractionConfig, language: str | None) -> _Shown:
    if config.preprocess == "none":
        return _Shown(chunk.text)
    from kg_neo4j.acquire import preprocess

    shortened = preprocess.shorten(chunk.text, language)
    return _Shown(shortened.text, shortened.to_source)


def _without_rows(chunk: Chunk, config: ExtractionConfig, outcome: ChunkOutcome, detail: str) -> Extraction:
    return Extraction(
        chunk=chunk,
        answers=(),
        nodes=(),
        relationships=(),
        rejections=(),
        rows_read=0,
        outcome=outcome,
        config_hash=config.config_hash,
        detail=_shorten(detail, 300),
    )


def _shorten(text: str, limit: int = 120) -> str:
    """Return the beginning of `text` in one line."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
