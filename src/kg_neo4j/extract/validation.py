"""From raw rows to accepted ones. Pure: no row goes further that the schema does not allow.

accepted + rejected = read, always: each raw row becomes one accepted row or one Rejection.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kg_neo4j.extract import numbering
from kg_neo4j.extract.evidence import locate
from kg_neo4j.extract.row_checks import RowChecks, misfit
from kg_neo4j.extract.rows import NEEDED, RawRow, ReadRows, RowKind
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.extract.values import (
    MAX_ID,
    MAX_NAME,
    MAX_TEXT,
    RESERVED_RELATIONSHIP_TYPES,
    ValueRefused,
    clean_field,
    normalise_type,
    parse_date,
    parse_number,
    parse_year,
    unmarked,
)
from kg_neo4j.records import DroppedValue, NodeRow, PropertyValue, Rejection, RejectionReason, RelationshipRow, Span

PERSON = "PERSON"  # the type whose nodes have years of birth and death
FLAG, REJECT = "flag", "reject"  # what becomes of a row whose evidence is not in the text
T = TypeVar("T")
ToSource = Callable[[int, int], tuple[int, int]]

_NUMBERED = re.compile(r"^\W*(?:\d+[.)]\s+)?\W*|\s*\(.*|\W+$")  # around an id: "1. n1", "[n1]", "n1 (Ada)"
_LIMITS = dict.fromkeys((ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.EVIDENCE), MAX_TEXT)
_LIMITS |= {ColumnKind.NAME: MAX_NAME}
SHOWN = 200  # characters of a value that is left out


@dataclass(frozen=True, slots=True)
class ValidRows:
    """Accepted rows in the answer's order, and every rejection: the reader's and the validator's, by line."""

    nodes: tuple[NodeRow, ...]
    relationships: tuple[RelationshipRow, ...]
    rejections: tuple[Rejection, ...]
    dropped: tuple[DroppedValue, ...]


def validate(  # noqa: PLR0913 - how rows are judged; all but three by name
    read: ReadRows,
    schema: Schema,
    text: str,
    *,
    evidence: str = FLAG,
    to_source: ToSource | None = None,
    offsets: numbering.Offsets = (),
    checks: RowChecks | None = None,
    known: Mapping[str, tuple[str, str, str]] | None = None,
) -> ValidRows:
    """Return the accepted and the rejected rows of one answer on `text`.

    `evidence` says what becomes of a row whose words are not in `text`: "flag" keeps it without a span, "reject"
    rejects it (NO_EVIDENCE), also where it gives none. `to_source` maps spans of a shortened text to the source's.
    `offsets` are those of the numbered sentences in `text`. `known` are nodes of earlier rounds on the same chunk, id
    to name, type and role: a relationship may end there, too. With `checks` a row that says what its sentences do not
    say is flagged, or rejected with "reject".
    """
    work = _Validation(schema, text, evidence, to_source, offsets, list(read.rejections), dict(known or {}), checks)
    nodes = work.accepted(read, RowKind.NODE, work.node)
    relationships = work.accepted(read, RowKind.RELATIONSHIP, work.relationship)
    rejections = sorted(work.rejections, key=lambda rejection: rejection.line)
    return ValidRows(nodes, relationships, tuple(rejections), tuple(work.dropped))


@dataclass(slots=True)
class _Validation:
    """One answer on its way; ids are remembered, rejections gathered."""

    schema: Schema
    text: str
    evidence: str
    to_source: ToSource | None
    offsets: numbering.Offsets
    rejections: list[Rejection]
    known: dict[str, tuple[str, str, str]]  # of nodes, by id: name, type, role
    checks: RowChecks | None
    dropped: list[DroppedValue] = field(default_factory=list)
    node_rows: dict[str, RawRow] = field(default_factory=dict)  # id -> the accepted row
    relationship_rows: dict[str, RawRow] = field(default_factory=dict)
    ends: dict[str, set[str]] = field(default_factory=dict)  # ids and names, case folded -> ids

    def accepted(self, read: ReadRows, kind: RowKind, make: Callable[[RawRow], T]) -> tuple[T, ...]:
        """Return what `make` gives for the rows of a section; those that it refuses are rejected."""
        found: list[T] = []
        for row in read.rows:
            dropped = len(self.dropped)
            try:
                found += [make(row)] if row.kind is kind else []
            except ValueRefused as refused:
                del self.dropped[dropped:]  # the whole row is out
                self.rejections.append(Rejection(row.line, row.text, refused.reason, refused.detail))
        return tuple(found)

    def node(self, row: RawRow) -> NodeRow:
        words, fields = self._fields(row, self.schema.node_columns, self.schema.node_types, frozenset())
        name, properties = words[ColumnKind.NAME], fields["properties"]
        fields |= self._evidence(words, lambda: [name])
        if self.checks is not None:
            if self.checks.is_example("name", name):
                raise ValueRefused(RejectionReason.FROM_EXAMPLE, f"{name[:80]!r} is a name of the prompt's example")
            fields["flags"] = self._flags(self.checks.node(name, properties, fields["span"]))
        if fields["type"] == PERSON:
            properties |= self._years(properties)
        node_id = _claim(self.node_rows, _NUMBERED.sub("", words[ColumnKind.ID]) or words[ColumnKind.ID], row)
        self.ends.setdefault(node_id.casefold(), set()).add(node_id)
        self.ends.setdefault(name.casefold(), set()).add(node_id)
        self.known[node_id] = (name, fields["type"], str(properties.get("role", "")))
        return NodeRow(node_id=node_id, name=name, **fields)

    def _years(self, properties: Mapping[str, PropertyValue]) -> dict[str, int]:
        """Return the columns that hold the year of another one, as far as that can be read."""
        found: dict[str, int] = {}
        for column in self.schema.years:
            with contextlib.suppress(ValueRefused):
                found[column.name] = parse_year(str(properties.get(column.year_of, "")), column.name)
        return found

    def relationship(self, row: RawRow) -> RelationshipRow:
        allowed = self.schema.relationship_types
        words, fields = self._fields(row, self.schema.relationship_columns, allowed, RESERVED_RELATIONSHIP_TYPES)
        ends = (words[ColumnKind.SOURCE], words[ColumnKind.TARGET])
        fields |= self._evidence(words, lambda: [self.known[self._end(end)][0] for end in ends])
        source, target = map(self._end, ends)
        types = (self.known[source][1], self.known[target][1])
        if self.schema.checks_ends and misfit(self.schema, fields["type"], *types) is RejectionReason.ENDS_SWAPPED:
            source, target = target, source
        if self.checks is not None:
            both = (self.known[source], self.known[target])
            said = (fields["type"], fields["properties"], fields["evidence"], fields["span"])
            fields["flags"] = self._flags(self.checks.relationship(both, *said))
        row_id = f"{source} {target}"
        if ColumnKind.ID in words:
            row_id = _claim(self.relationship_rows, words[ColumnKind.ID], row)
        return RelationshipRow(relationship_id=row_id, source_id=source, target_id=target, stated=row.stated, **fields)

    def _end(self, written: str) -> str:
        """Return the id of the node that an end names: by its id, numbered or in other case too, or by its name."""
        for end in (written, _NUMBERED.sub("", written)):
            if end in self.known:
                return end
            if len(found := self.ends.get(end.casefold(), ())) == 1:
                return next(iter(found))
        detail = f"{written[:80]!r} is not the id of an accepted node row of this answer"
        raise ValueRefused(RejectionReason.MISSING_END, detail)

    def _fields(
        self, row: RawRow, columns: tuple[SchemaColumn, ...], allowed: tuple[str, ...], reserved: frozenset[str]
    ) -> tuple[dict[ColumnKind, str], dict[str, Any]]:
        """Return the ids, type, name and evidence of a row by kind of column, and the fields that all rows have."""
        words: dict[ColumnKind, str] = {}
        properties: dict[str, PropertyValue] = {}
        for column, raw in zip(columns, row.fields, strict=True):
            try:
                plain = unmarked(raw, column.kind is ColumnKind.NAME) if column.kind is not ColumnKind.EVIDENCE else raw
                text = clean_field(plain, column.name, _LIMITS.get(column.kind, MAX_ID))
                if column.is_property and text:
                    properties[column.name] = self._property(text, column)
            except ValueRefused as refused:
                if not column.is_property or column.identity:
                    raise
                self._drop(row, column.name, raw, refused.reason)
                continue
            if not text and column.kind in NEEDED:
                raise ValueRefused(RejectionReason.EMPTY_FIELD, f"{column.name} is empty")
            if not column.is_property:
                words[column.kind] = text
        for name, raw in row.others:
            self._drop(row, name, raw, RejectionReason.UNKNOWN_COLUMN)
        kind = normalise_type(words[ColumnKind.TYPE], reserved)
        if allowed and kind not in {normalise_type(name, reserved) for name in allowed}:
            raise ValueRefused(RejectionReason.BAD_TYPE, f"{kind} is not one of the schema's types")
        return words, {
            "line": row.line,
            "type": kind,
            "original_type": words[ColumnKind.TYPE],
            "properties": properties,
        }

    def _property(self, text: str, column: SchemaColumn) -> PropertyValue:
        if column.kind is ColumnKind.YEAR:
            return parse_year(text, column.name)
        if column.kind is ColumnKind.NUMBER:
            return parse_number(text, column)
        value = parse_date(text) if column.kind is ColumnKind.DATE else text
        if self.checks is not None and self.checks.is_example(column.name, value):
            raise ValueRefused(RejectionReason.FROM_EXAMPLE, f"{column.name}: {text[:80]!r} is of the prompt's example")
        return value

    def _drop(self, row: RawRow, column: str, value: str, reason: RejectionReason) -> None:
        if value.strip():
            self.dropped.append(DroppedValue(row.line, column, value[:SHOWN], reason, row.text))

    def _flags(self, found: Iterable[tuple[RejectionReason, str]]) -> tuple[RejectionReason, ...]:
        """Return what a row's sentences do not say; refuse the row for it where evidence is asked for."""
        flags = dict(found)
        for reason, words in flags.items() if self.evidence == REJECT else ():
            raise ValueRefused(reason, f"the sentences do not say it: {words[:200]}")
        return tuple(flags)

    def _evidence(self, words: Mapping[ColumnKind, str], names: Callable[[], Sequence[str]]) -> dict[str, Any]:
        """Return the quote of a row, and where it is in the text; `names` are asked for where none is given."""
        written = words.get(ColumnKind.EVIDENCE)
        if self.schema.evidence == "words" or not self.offsets:
            return {"evidence": written or None, "span": self._span(written)}
        cited = numbering.cite(written or "", self.text, self.offsets)
        if cited and self.schema.facts and not any(name.casefold() in cited[0].casefold() for name in names()):
            cited = numbering.place(names(), self.text, self.offsets, within=True) or cited  # a model counts its rows
        found = cited or numbering.place(names(), self.text, self.offsets)
        if found is None and written is not None and self.evidence == REJECT:
            raise ValueRefused(RejectionReason.NO_EVIDENCE, "it names no sentence, and none holds the names")
        return dict(zip(("evidence", "span"), found or (None, None), strict=True))

    def _span(self, words: str | None) -> Span | None:
        """Find the evidence; `words` is None where the schema has no such column."""
        if words is None:
            return None
        span = locate(words, self.text)
        if span is None and self.evidence == REJECT:
            detail = f"not in the text: {words[:80]!r}" if words else "no evidence given"
            raise ValueRefused(RejectionReason.NO_EVIDENCE, detail)
        if span is None or self.to_source is None:
            return span
        others = tuple(self.to_source(*each) for each in span.others)
        return Span(*self.to_source(span.start, span.end), span.method, others)


def _claim(taken: dict[str, RawRow], row_id: str, row: RawRow) -> str:
    """Return the id after noting that it is `row`'s; the first row that carries an id keeps it."""
    first = taken.setdefault(row_id, row)
    if first is not row:
        same = "the same row" if first.fields == row.fields else "another row"
        raise ValueRefused(RejectionReason.DUPLICATE_ID, f"{row_id[:80]!r} is {same}, on line {first.line}")
    return row_id
