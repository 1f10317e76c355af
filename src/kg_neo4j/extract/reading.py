"""From the answers on one chunk to its extraction. Pure: the same answers always give the same extraction.

Answers come in rounds (see `conversation`). A later round may use the ids of nodes that earlier ones gave. A row that
only says again what an earlier round said is accepted, counted as repeated, and adds no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kg_neo4j import data_files
from kg_neo4j._models.answer_text import has_ended
from kg_neo4j.extract import facts, numbering
from kg_neo4j.extract.csv_record import parse_lenient
from kg_neo4j.extract.row_checks import RowChecks
from kg_neo4j.extract.rows import SECTIONS, PartKind, ReadRows, RowKind
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.validation import ToSource, ValidRows, validate
from kg_neo4j.records import (
    Chunk,
    ChunkOutcome,
    DroppedValue,
    Extraction,
    ModelAnswer,
    NodeRow,
    Rejection,
    RejectionReason,
    RelationshipRow,
    Usage,
)

RULES_VERSION = 7  # of the parser, the validator and the normaliser: raised when the same answer gives other rows
WHOLE, CONTINUE, AGAIN, HALF = "whole", "continue", "again", "half"  # steps, as stored with answers
GLEAN, REPAIR = "glean", "repair"
REMARK = 200  # characters below a header row that may speak of an empty section; more than that were rows
USABLE = frozenset({ChunkOutcome.DONE, ChunkOutcome.EMPTY, ChunkOutcome.TRUNCATED})

_DATA = data_files.beside(__file__)
_REFUSAL = re.compile("|".join(_DATA.lines("refusals")), re.IGNORECASE)
_NODE_ID = re.compile(r"[A-Za-z]{1,12}[_-]?\d{1,6}")
_CUT_BY = _DATA.table("cut_by")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the model sees of a chunk, and the way back to the chunk's own text."""

    text: str
    to_source: ToSource | None = None
    offsets: tuple[tuple[int, int], ...] = ()  # of the numbered sentences, in the chunk


@dataclass(frozen=True, slots=True)
class Reading:
    """How answers become rows, whoever gave them."""

    schema: Schema
    evidence: str  # "flag" or "reject"
    config_hash: str


@dataclass(slots=True)
class Rounds:
    """The answers about one chunk, read as they come."""

    chunk: Chunk
    reading: Reading
    shown: Shown
    answers: list[ModelAnswer] = field(default_factory=list)
    nodes: list[NodeRow] = field(default_factory=list)
    relationships: list[RelationshipRow] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    read: int = 0
    repeated: int = 0
    dropped: list[DroppedValue] = field(default_factory=list)
    checks: RowChecks | None = None  # of the last answer
    known: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # of `nodes`, by id: name, type, role
    named: dict[tuple[str, str], tuple[str, set[str]]] = field(default_factory=dict)  # name, type -> id, properties
    stated: dict[tuple[str, ...], set[str]] = field(default_factory=dict)  # ends, type, identity -> properties
    outcomes: list[tuple[ModelAnswer, ChunkOutcome, str]] = field(default_factory=list)
    sections: set[RowKind] = field(default_factory=set)  # whose header rows came in answers that are continued
    ignored: float = 0.0

    def add(self, answer: ModelAnswer) -> bool:
        """Read one more answer; say whether it is worth keeping for ever: complete, and in the schema's form."""
        schema, most = self.reading.schema, len(answer.offsets)
        read = facts.read(answer.text, schema, finish_reason=answer.finish_reason, sentences=most)
        valid = validate(
            read,
            self.reading.schema,
            self.chunk.text if answer.offsets else self.shown.text,
            evidence=self.reading.evidence,
            to_source=self.shown.to_source,
            offsets=answer.offsets,
            checks=self._checked(answer),
            known=self.known if answer.round and not schema.facts else {},  # a fact names its ends itself
        )
        self.dropped += valid.dropped
        if answer.step == REPAIR:
            _mark_repaired(self.rejections, valid, self.reading.schema)
            self.read -= _drop_repeated(self.rejections, valid, self.reading.schema)
        _add(self, valid, answer.round, self.reading.schema)
        self.read += read.count
        self.answers.append(answer)
        if answer.step in _FIRST:
            self.sections |= read.sections
        ignored = read.characters(PartKind.IGNORED)
        self.ignored = max(self.ignored, ignored / max(1, read.characters() - read.characters(PartKind.THOUGHT)))
        self.outcomes.append((answer, *_outcome(answer, read, self)))
        return self.outcomes[-1][1] in (ChunkOutcome.DONE, ChunkOutcome.EMPTY)

    def charge(self, usage: Usage) -> None:
        """Count what an answer cost that is not kept, because its parts were asked for."""
        self.answers[-1] = replace(self.answers[-1], usage=self.answers[-1].usage + usage)

    def extraction(self) -> Extraction:
        """Return what the answers so far say."""
        outcome, detail = _overall(self)
        return Extraction(
            chunk=self.chunk,
            answers=tuple(self.answers),
            nodes=tuple(self.nodes),
            relationships=tuple(self.relationships),
            rejections=tuple(self.rejections),
            rows_read=self.read,
            outcome=outcome,
            config_hash=self.reading.config_hash,
            detail=detail,
            repeated=self.repeated,
            ignored=self.ignored,
            dropped=tuple(self.dropped),
        )

    def _checked(self, answer: ModelAnswer) -> RowChecks | None:
        """Return what the rows of a model's answer are held against; it knows what earlier answers stated."""
        if answer.around is None:
            return None
        offsets = answer.offsets or numbering.number(self.chunk.text)
        if self.checks is None or (self.checks.around, self.checks.offsets) != (answer.around, offsets):
            earlier = self.checks.stated if self.checks else set()
            self.checks = RowChecks(self.reading.schema, self.chunk.text, answer.around, offsets, stated=earlier)
        return self.checks


def interpret(chunk: Chunk, answers: Sequence[ModelAnswer], reading: Reading, shown: Shown) -> Extraction:
    """Return what `answers`, in the order of their rounds, say about `shown`."""
    rounds = Rounds(chunk, reading, shown)
    for answer in answers:
        rounds.add(answer)
    return rounds.extraction()


def is_cut(answer: ModelAnswer) -> bool:
    """Return whether something ended an answer before its end: a limit, an error, or our own stop."""
    return has_ended(answer.finish_reason) is False


def without_rows(chunk: Chunk, reading: Reading, outcome: ChunkOutcome, detail: str) -> Extraction:
    """Return the extraction of a chunk without an answer."""
    return Extraction(chunk, (), (), (), (), 0, outcome, reading.config_hash, shorten(detail, 300))


def shorten(text: str, limit: int = 120) -> str:
    """Return the beginning of `text` in one line."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def row_id(rejection: Rejection, schema: Schema) -> str:
    """Return the id in a rejected row, as far as it can be read: its first field; it may be empty.

    Where relationships have no ids, it is the id of a node, or those of both ends.
    """
    line = rejection.text.split("\n", 1)[0]
    fields = [each.strip().strip('"').strip() for each in parse_lenient(line) or line.split(",")]
    if schema.counts_relationships:
        return fields[0]
    return " ".join(each for each in fields if _NODE_ID.fullmatch(each))


# ------------------------------------------------------------------------------------------------- rounds together


def _add(found: Rounds, valid: ValidRows, number: int, schema: Schema) -> None:
    """Add the rows of one round. Ids of later rounds get its number in front: an id means something within a round."""
    canonical: dict[str, str] = {}
    for node in valid.nodes:
        key = (" ".join(node.name.casefold().split()), node.type)
        earlier = found.named.get(key)
        if number and earlier and set(node.properties) <= earlier[1]:
            canonical[node.node_id] = earlier[0]
            found.repeated += 1
            continue
        node_id = canonical[node.node_id] = f"{number}:{node.node_id}" if number else node.node_id
        found.nodes.append(replace(node, node_id=node_id))
        found.named.setdefault(key, (node_id, set()))[1].update(node.properties)
    identity = [column.name for column in schema.relationships if column.identity]
    for row in valid.relationships:
        ends = [canonical.get(end, end) for end in (row.source_id, row.target_id)]
        stated = (*ends, row.type, *(str(row.properties.get(name, "")) for name in identity))
        stated += () if schema.counts_relationships else (row.evidence or "",)
        earlier_names = found.stated.get(stated)
        if (
            (number or not schema.counts_relationships)
            and earlier_names is not None
            and set(row.properties) <= earlier_names
        ):
            found.repeated += 1
            continue
        found.relationships.append(replace(row, source_id=ends[0], target_id=ends[1]))
        found.stated.setdefault(stated, set()).update(row.properties)
    found.known |= {node.node_id: (node.name, node.type, str(node.properties.get("role", ""))) for node in found.nodes}
    found.rejections += (replace(rejection, round=number) for rejection in valid.rejections)


def _mark_repaired(rejections: list[Rejection], valid: ValidRows, schema: Schema) -> None:
    """Mark the rows that the model wrote again, under their id, and that are accepted now."""
    accepted = {node.node_id for node in valid.nodes} | {row.relationship_id for row in valid.relationships}
    rejections[:] = [replace(each, repaired=each.repaired or row_id(each, schema) in accepted) for each in rejections]


def _drop_repeated(rejections: list[Rejection], valid: ValidRows, schema: Schema) -> int:
    """Remove the rows that the model wrote again and that are rejected again: the last reason counts; say how many."""
    removed = 0
    for again in valid.rejections:
        for place, earlier in enumerate(rejections):
            said = [row_id(each, schema) or each.text for each in (earlier, again)]
            if not earlier.repaired and said[0] == said[1]:
                del rejections[place]
                removed += 1
                break
    return removed


# ------------------------------------------------------------------------------------------------------- outcomes

# Of several answers on one chunk: rows make it done, whatever else failed.
_PRECEDENCE = (ChunkOutcome.DONE, ChunkOutcome.EMPTY, ChunkOutcome.REFUSED, ChunkOutcome.FAILED)
_FIRST = (WHOLE, CONTINUE, AGAIN)


def _overall(found: Rounds) -> tuple[ChunkOutcome, str]:
    halves = [each for each in found.outcomes if each[0].step == HALF]
    first = halves or [each for each in found.outcomes if each[0].step in _FIRST] or found.outcomes
    was_cut = [each for each in (first if halves else first[-1:]) if each[1] is ChunkOutcome.TRUNCATED]
    if was_cut:
        rows = len(found.nodes) + len(found.relationships)
        what, _, repair = was_cut[0][2].partition("; ")
        kept = f"{what}; {rows} complete rows were kept" if rows else f"{what} before its first complete row"
        return ChunkOutcome.TRUNCATED if rows else ChunkOutcome.FAILED, f"{kept}; {repair}" if repair else kept
    if found.nodes:
        return ChunkOutcome.DONE, ""
    return next(each[1:] for outcome in _PRECEDENCE for each in first if each[1] is outcome)


def _outcome(answer: ModelAnswer, read: ReadRows, found: Rounds) -> tuple[ChunkOutcome, str]:
    """Say what became of one answer; nothing but two header rows means that the text holds nothing."""
    if why := _unfinished(answer, read, found):
        return ChunkOutcome.TRUNCATED, why
    if read.rows:
        return ChunkOutcome.DONE, ""
    if read.rejections:
        return ChunkOutcome.FAILED, f"no usable row: {read.rejections[0].detail}"
    if read.sections and read.characters(PartKind.IGNORED) <= REMARK:
        return ChunkOutcome.EMPTY, "the model found nothing in this text"
    if answer.finish_reason == "content_filter" or _REFUSAL.search(answer.text[:400]):
        return ChunkOutcome.REFUSED, f"the model declined: {shorten(answer.text)}"
    if read.sections:
        return ChunkOutcome.FAILED, f"no line below the header rows is a row of the schema: {shorten(answer.text)}"
    detail = f"the answer has no header row of the schema: {shorten(answer.text) or 'it is empty'}"
    return ChunkOutcome.FAILED, detail


def _unfinished(answer: ModelAnswer, read: ReadRows, found: Rounds) -> str:
    """Return why an answer is not whole; empty where it is. One without rows does not end an earlier one that was cut.

    Where the finish reason says nothing, its form decides: both header rows, and a complete last row.
    """
    before = [each for each in found.answers if each.step in _FIRST] if answer.step in _FIRST and not read.rows else []
    for each in (answer, *before):
        if is_cut(each):
            return _CUT_BY.get(each.finish_reason or "", f"the answer was truncated ({each.finish_reason})")
    if any(rejection.reason is RejectionReason.TRUNCATED for rejection in read.rejections):
        return "the answer ends within a row"
    missing = sorted(SECTIONS - (found.sections if answer.step in _FIRST else read.sections))
    if answer.step in (*_FIRST, HALF) and len(missing) == 1 and (read.rows or not read.rejections):
        return f"the answer has no header row of {missing[0]}s"
    return ""
