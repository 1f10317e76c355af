"""From raw rows to accepted ones. Pure: no row goes further that the schema does not allow.

accepted + rejected = read, always: each raw row becomes one accepted row or one Rejection.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kg_neo4j.extract import numbering
from kg_neo4j.extract.evidence import locate
from kg_neo4j.extract.rows import RawRow, ReadRows, RowKind
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.extract.values import (
    MAX_ID,
    MAX_NAME,
    MAX_TEXT,
    RESERVED_RELATIONSHIP_TYPES,
    ValueRefused,
    clean_field,
    normalise_type,
    parse_number,
    parse_year,
    unmarked,
)
from kg_neo4j.records import NodeRow, PropertyValue, Rejection, RejectionReason, RelationshipRow, Span

PERSON = "PERSON"  # the type whose nodes have years of birth and death
FLAG, REJECT = "flag", "reject"  # what becomes of a row whose evidence is not in the text
T = TypeVar("T")
ToSource = Callable[[int, int], tuple[int, int]]

_NUMBERED = re.compile(r"^\W*(?:\d+[.)]\s+)?\W*|\s*\(.*|\W+$")  # around an id: "1. n1", "[n1]", "n1 (Ada)"
_LIMITS = {ColumnKind.NAME: MAX_NAME, ColumnKind.TEXT: MAX_TEXT, ColumnKind.EVIDENCE: MAX_TEXT}
_REQUIRED = frozenset({ColumnKind.ID, ColumnKind.TYPE, ColumnKind.NAME, ColumnKind.SOURCE, ColumnKind.TARGET})


@dataclass(frozen=True, slots=True)
class ValidRows:
    """Accepted rows in the answer's order, and every rejection: the reader's and the validator's, by line."""

    nodes: tuple[NodeRow, ...]
    relationships: tuple[RelationshipRow, ...]
    rejections: tuple[Rejection, ...]


def validate(
    read: ReadRows,
    schema: Schema,
    text: str,
    *,
    evidence: str = FLAG,
    to_source: ToSource | None = None,
    offsets: numbering.Offsets = (),
    known: Mapping[str, str] | None = None,
) -> ValidRows:
    """Return the accepted and the rejected rows of one answer on `text`.

    `evidence` says what becomes of a row whose words are not in `text`: "flag" keeps it without a span, "reject"
    rejects it (NO_EVIDENCE), also where it gives none. `to_source` maps spans of a shortened text to the source's.
    `offsets` are those of the numbered sentences in `text`. `known` are nodes of earlier rounds on the same chunk, id
    to name: a relationship may end there, too.
    """
    work = _Validation(schema, text, evidence, to_source, offsets, list(read.rejections), dict(known or {}))
    nodes = work.accepted(read, RowKind.NODE, work.node)
    relationships = work.accepted(read, RowKind.RELATIONSHIP, work.relationship)
    return ValidRows(nodes, relationships, tuple(sorted(work.rejections, key=lambda rejection: rejection.line)))


@dataclass(slots=True)
class _Validation:
    """One answer on its way; ids are remembered, rejections gathered."""

    schema: Schema
    text: str
    evidence: str
    to_source: ToSource | None
    offsets: numbering.Offsets
    rejections: list[Rejection]
    names: dict[str, str]  # of nodes, by id
    node_rows: dict[str, RawRow] = field(default_factory=dict)  # id -> the accepted row
    relationship_rows: dict[str, RawRow] = field(default_factory=dict)
    ends: dict[str, set[str]] = field(default_factory=dict)  # ids and names, case folded -> ids

    def accepted(self, read: ReadRows, kind: RowKind, make: Callable[[RawRow], T]) -> tuple[T, ...]:
        """Return what `make` gives for the rows of a section; those that it refuses are rejected."""
        found: list[T] = []
        for row in read.rows:
            try:
                found += [make(row)] if row.kind is kind else []
            except ValueRefused as refused:
                self.rejections.append(Rejection(row.line, row.text, refused.reason, refused.detail))
        return tuple(found)

    def node(self, row: RawRow) -> NodeRow:
        words, fields = self._fields(row, self.schema.nodes, self.schema.node_types, frozenset())
        fields |= self._evidence(words, lambda: [words[ColumnKind.NAME]])
        if fields["type"] == PERSON:
            fields["properties"] |= self._years(fields["properties"])
        node_id = _claim(self.node_rows, _NUMBERED.sub("", words[ColumnKind.ID]) or words[ColumnKind.ID], row)
        self.ends.setdefault(node_id.casefold(), set()).add(node_id)
        self.ends.setdefault(words[ColumnKind.NAME].casefold(), set()).add(node_id)
        self.names[node_id] = words[ColumnKind.NAME]
        return NodeRow(node_id=node_id, name=words[ColumnKind.NAME], **fields)

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
        fields |= self._evidence(words, lambda: [self.names[self._end(end)] for end in ends])
        source, target = map(self._end, ends)
        row_id = f"{source} {target}"
        if ColumnKind.ID in words:
            row_id = _claim(self.relationship_rows, words[ColumnKind.ID], row)
        return RelationshipRow(relationship_id=row_id, source_id=source, target_id=target, stated=row.stated, **fields)

    def _end(self, written: str) -> str:
        """Return the id of the node that an end names: by its id, numbered or in other case too, or by its name."""
        for end in (written, _NUMBERED.sub("", written)):
            if end in self.names:
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
            plain = unmarked(raw, column.kind is ColumnKind.NAME) if column.kind is not ColumnKind.EVIDENCE else raw
            text = clean_field(plain, column.name, _LIMITS.get(column.kind, MAX_ID))
            if not text and column.kind in _REQUIRED:
                raise ValueRefused(RejectionReason.EMPTY_FIELD, f"{column.name} is empty")
            if not column.is_property:
                words[column.kind] = text
            elif text:
                properties[column.name] = _property(text, column)
        kind = normalise_type(words[ColumnKind.TYPE], reserved)
        if allowed and kind not in {normalise_type(name, reserved) for name in allowed}:
            raise ValueRefused(RejectionReason.BAD_TYPE, f"{kind} is not one of the schema's types")
        return words, {
            "line": row.line,
            "type": kind,
            "original_type": words[ColumnKind.TYPE],
            "properties": properties,
        }

    def _evidence(self, words: Mapping[ColumnKind, str], names: Callable[[], Sequence[str]]) -> dict[str, Any]:
        """Return the quote of a row, and where it is in the text; `names` are asked for where none is given."""
        written = words.get(ColumnKind.EVIDENCE)
        if self.schema.evidence == "words" or not self.offsets:
            return {"evidence": written or None, "span": self._span(written)}
        cited = numbering.cite(written or "", self.text, self.offsets)
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
        return Span(*self.to_source(span.start, span.end), span.method)


def _property(text: str, column: SchemaColumn) -> PropertyValue:
    if column.kind is ColumnKind.YEAR:
        return parse_year(text, column.name)
    return parse_number(text, column) if column.kind is ColumnKind.NUMBER else text


def _claim(taken: dict[str, RawRow], row_id: str, row: RawRow) -> str:
    """Return the id after noting that it is `row`'s; the first row that carries an id keeps it."""
    first = taken.setdefault(row_id, row)
    if first is not row:
        same = "the same row" if first.fields == row.fields else "another row"
        raise ValueRefused(RejectionReason.DUPLICATE_ID, f"{row_id[:80]!r} is {same}, on line {first.line}")
    return row_id
