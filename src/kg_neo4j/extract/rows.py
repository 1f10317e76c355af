"""From a model's answer to raw rows. Pure: text in, rows and rejections out, and every data row is one or the other.

The two sections are found by their header rows, wherever and as often as they stand. Under a header that is almost one,
rows are counted and rejected. Each character of an answer belongs to one `Part`: what is no header and no row is a
blank line, a thought, a fence or another line without words, or ignored text. Where an answer begins again with ids
that it has used, it corrects itself: the last whole one of its versions counts, and the others are ignored text.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.answer_text import Thought, has_ended, thoughts
from kg_neo4j.extract.csv_record import joined, parse_lenient, parse_strict
from kg_neo4j.extract.schema import ColumnKind, Schema
from kg_neo4j.records import Rejection, RejectionReason

NEEDED = frozenset({ColumnKind.ID, ColumnKind.TYPE, ColumnKind.NAME, ColumnKind.SOURCE, ColumnKind.TARGET})
STATED = "stated"  # a column that the relationship section may have besides the schema's: "false" for likely rows
MAX_ANSWER = 1_000_000  # characters; the longest answers of today's models have about 500,000
MAX_ROWS = 20_000
MAX_REJECTIONS = 100_000  # then the rest counts as one
MAX_FIELD = 131_072  # characters, the csv module's own limit
SHOWN = 500  # characters of a rejected row that are kept
SEPARATORS = ",;\t|\uff0c\u3001\u060c\uff1b\uff5c\u00a6\u061b"  # between fields; the prompt asks for the first one

_FENCE = re.compile(r"\s*(?:(?:```|~~~)(?!.*,.*,)|\|?[\s:|+-]*-[\s:|+-]*\Z)")  # or the line below the head of a table
_ID_LIKE = re.compile(r'\s*"?[^\s",]{1,64}"?\s*|[\d\s-]{1,20}')  # or numbers of sentences
_LONE_ID = re.compile(r"\s*[A-Za-z]{0,12}[_-]?[0-9]+\s*")
# "- n1: PERSON", "r1 -> n1", "n1   PERSON"; and "Ada -> KNEW -> Ben"
_BEGINS_WITH_ID = re.compile(r"\W{0,4}[A-Za-z]{1,3}[_-]?[0-9]{1,5}(?:\s*[^\w\s]|\s{2,}\S)|.*(?:->|=>|→).*(?:->|=>|→)")
_WORD = re.compile(r"[\w ]{1,40}")
_TUPLE = re.compile(r"\s*\((.*)\)[\s,;]*")
_OBJECT = re.compile(r"\{[^{}]*\}")
_HEADER_EDGE = ' \t"*`|\ufeff\u200b'


class RowKind(enum.StrEnum):
    """The section of a row."""

    NODE = "node"
    RELATIONSHIP = "relationship"
    FACT = "fact"  # a relationship with both its ends: becomes rows of the other kinds (facts.py)
    CLAIM = "claim"  # becomes a row of relationships (rooms/claims)


SECTIONS = frozenset({RowKind.NODE, RowKind.RELATIONSHIP})  # of an answer that is whole


@dataclass(frozen=True, slots=True)
class RawRow:
    """A data row with as many fields as the schema's section has columns, in the schema's order."""

    line: int  # in the answer, from 1
    kind: RowKind
    fields: tuple[str, ...]
    text: str  # as the model wrote it, shortened to 500 characters
    stated: bool = True  # False: the answer calls it likely only
    others: tuple[tuple[str, str], ...] = ()  # values of columns that the schema does not have, with their names


class PartKind(enum.StrEnum):
    """What a part of an answer is."""

    HEADER = "header"
    ROW = "row"
    REJECTION = "rejection"
    BLANK = "blank"
    THOUGHT = "thought"
    FENCE = "fence"  # or another line without letters and digits
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Part:
    """A span of an answer; the parts of an answer follow each other without a gap."""

    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The content of an answer. rows + rejections = data rows read."""

    rows: tuple[RawRow, ...]
    rejections: tuple[Rejection, ...]
    sections: frozenset[RowKind]  # those whose header row was found, or almost one
    parts: tuple[Part, ...] = ()  # of the answer with line feeds as line ends

    @property
    def count(self) -> int:
        """Data rows read."""
        return len(self.rows) + len(self.rejections)

    def characters(self, *kinds: PartKind) -> int:
        """Return how much of the answer is of these kinds; of all kinds where none is named."""
        return sum(part.end - part.start for part in self.parts if not kinds or part.kind in kinds)


@dataclass(frozen=True, slots=True)
class _Header:
    """A header row. `order` gives, for each column of the schema, its place in the answer's rows, -1 for none."""

    kind: RowKind
    width: int
    order: tuple[int, ...] = ()
    fault: str = ""  # why rows below it cannot be used
    separator: str = ","
    stated: int | None = None  # the place of the column that says whether a row is stated, where there is one
    kinds: tuple[ColumnKind | None, ...] = ()  # of the columns, as they stand in the answer
    others: tuple[tuple[int, str], ...] = ()  # columns that the schema does not have: place, name


@dataclass(slots=True)
class _Version:
    """What an answer says until it begins again with a header of nodes."""

    parts: list[Part] = field(default_factory=list)
    rows: list[RawRow] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    sections: set[RowKind] = field(default_factory=set)

    def ids(self, place: int) -> set[str]:
        return {row.fields[place].strip() for row in self.rows if row.kind is RowKind.NODE}

    def ignored(self) -> _Version:
        """Return it as text that does not count."""
        kept = (PartKind.THOUGHT, PartKind.BLANK, PartKind.FENCE)
        return _Version(
            [part if part.kind in kept else Part(PartKind.IGNORED, part.start, part.end) for part in self.parts]
        )


def read(text: str, schema: Schema, *, finish_reason: str | None) -> ReadRows:
    """Return the data rows of a model's answer.

    Where `finish_reason` says that the answer was cut, a last row without a line end is TRUNCATED; where it says
    nothing known, a last row that lacks columns is. An unbalanced quote costs its own row only. Never raises.
    """
    return _RowReader(text.replace("\r\n", "\n").replace("\r", "\n"), schema, has_ended(finish_reason)).read()


class _RowReader:
    """Walks over one answer, line by line, record by record."""

    def __init__(self, text: str, schema: Schema, has_ended: bool | None) -> None:
        cut = len(text) if len(text) <= MAX_ANSWER else text.rfind("\n", 0, MAX_ANSWER) + 1 or MAX_ANSWER
        self._text, self._rest = text[:cut], text[cut:]
        self._columns = {RowKind.NODE: schema.node_header, RowKind.RELATIONSHIP: schema.relationship_header}
        self._kinds = {column.name: column.kind for column in (*schema.node_columns, *schema.relationship_columns)}
        self._id = schema.node_header.index("node_id")
        unasked = {RowKind.NODE: schema.unasked_nodes, RowKind.RELATIONSHIP: schema.unasked}
        self._unasked = {kind: tuple(column.name for column in columns) for kind, columns in unasked.items()}
        for kind, more in {RowKind.FACT: schema.facts, RowKind.CLAIM: schema.claim}.items():
            self._columns |= {kind: tuple(more)} if more else {}
            self._kinds |= more
            self._unasked[kind] = ()
        names = sorted({name for columns in self._columns.values() for name in columns})
        self._column_name = re.compile("|".join(map(re.escape, names)), re.IGNORECASE)
        self._was_cut = has_ended is False
        self._may_be_cut = has_ended is not True
        self._last_content = len(self._text.rstrip())  # a record that reaches here is the last thing said
        self._thoughts = {
            each.start: each.end for each in thoughts(self._text) if each.is_closed or self._is_apart(each)
        }
        self._line = 1
        self._header: _Header | None = None
        self._close = False  # no blank line, fence or prose since the last header or row
        self._version = _Version()
        self._versions = [self._version]
        self._rejected = self._accepted = 0

    def read(self) -> ReadRows:
        position = 0
        while position < len(self._text) and self._rejected < MAX_REJECTIONS:
            kind, following = self._step(position)
            following = min(following, len(self._text))
            self._version.parts.append(Part(kind, position, following))
            self._line += self._text.count("\n", position, following)
            position = following
        if not any(each.sections for each in self._versions):
            self._versions = [self._objects() or self._version]
        rest = self._text[position:] + self._rest
        if rest.strip():
            detail = f"{len(rest)} characters in {rest.count(chr(10)) + 1} lines were not read"
            self._reject(rest, RejectionReason.ANSWER_TOO_LARGE, detail)
        if rest:
            self._version.parts.append(Part(PartKind.REJECTION, position, position + len(rest)))
        return self._result()

    def _objects(self) -> _Version | None:
        """Return the rows of an answer in JSON: each object with the columns of a section is one; None without any."""
        found, position = _Version(), 0
        for match in _OBJECT.finditer(self._text):
            try:
                values = {name.casefold(): value for name, value in json.loads(match[0]).items()}
            except ValueError:
                continue
            kinds = (kind for kind, names in self._columns.items() if self._needed(names) <= values.keys())
            if (kind := next(kinds, None)) is None or len(found.rows) >= MAX_ROWS:
                continue
            names = (*self._columns[kind], *self._unasked[kind])
            fields = tuple(_text_of(values.get(name)) for name in names)
            others = tuple((name, _text_of(value)) for name, value in values.items() if name not in names)
            line = self._text.count("\n", 0, match.start()) + 1
            found.rows.append(RawRow(line, kind, fields, match[0][:SHOWN], others=others))
            found.parts += [Part(PartKind.IGNORED, position, match.start())] * (position < match.start())
            found.parts.append(Part(PartKind.ROW, *match.span()))
            found.sections.add(kind)
            position = match.end()
        if not found.rows:
            return None
        if position < len(self._text):
            found.parts.append(Part(_prose(self._text[position:]), position, len(self._text)))
        if self._text.rstrip().rstrip("`").rstrip().endswith(("}", "]")):  # it is closed, with the list that is empty
            found.sections |= SECTIONS
        return found

    def _needed(self, names: Sequence[str]) -> set[str]:
        return {name for name in names if self._kinds[name] in NEEDED}

    def _result(self) -> ReadRows:
        """Return all versions together, without those whose ids the last whole one gives again."""
        whole = [each for each in self._versions if each.sections >= SECTIONS and each.rows]
        last = (whole or self._versions)[-1]
        taken = last.ids(self._id)
        kept = [
            each if each is last or taken.isdisjoint(each.ids(self._id)) else each.ignored() for each in self._versions
        ]
        return ReadRows(
            tuple(row for each in kept for row in each.rows),
            tuple(rejection for each in kept for rejection in each.rejections),
            frozenset().union(*(each.sections for each in kept)),
            tuple(part for each in kept for part in each.parts),
        )

    def _step(self, position: int) -> tuple[PartKind, int]:
        """Return what begins at `position`, and where the next part begins."""
        if after := self._thoughts.get(position):
            return PartKind.THOUGHT, after
        end = self._line_end(position)
        line = self._text[position:end]
        if not line.strip() or _FENCE.match(line):
            self._close = False
            return PartKind.FENCE if line.strip() else PartKind.BLANK, self._after(end)
        if header := self._as_header(line):
            if header.kind is RowKind.NODE and RowKind.RELATIONSHIP in self._version.sections:
                self._version = _Version()
                self._versions.append(self._version)
            self._header, self._close = header, True
            if not (end == len(self._text) and self._begins_header(line)):  # else it was cut here
                self._version.sections |= {header.kind} if header.kind is not RowKind.FACT else SECTIONS
            return PartKind.HEADER, self._after(end)
        if self._header is None:
            return _prose(line), self._after(end)
        return self._take(position, end, self._header)

    def _is_apart(self, thought: Thought) -> bool:
        """Return whether a thought without one of its marks is one: no header of nodes is lost with it."""
        rest = self._text[: thought.start] if thought.start else self._text[thought.end :]
        headers = (self._as_header(line) for line in rest.split("\n"))
        follows = any(header and header.kind is RowKind.NODE and not header.fault for header in headers)
        return follows is (thought.start == 0 and thought.end < len(self._text))

    # -- headers

    def _as_header(self, line: str) -> _Header | None:
        if not 8 < len(line) < 100_000 or not self._column_name.search(line):
            return None
        for separator in SEPARATORS:
            names = _names(line, separator)
            for kind, columns in self._columns.items():
                known = (*columns, *self._unasked[kind])
                may_have = (STATED,) if kind is RowKind.RELATIONSHIP else ()
                if (
                    self._needed(columns) <= set(names)
                    and len(set(names)) == len(names)
                    and all(map(_WORD.fullmatch, names))
                ):
                    order = tuple(names.index(each) if each in names else -1 for each in known)
                    stated = names.index(STATED) if may_have and STATED in names else None
                    kinds = tuple(map(self._kinds.get, names))
                    named = (*known, *may_have)
                    others = tuple((place, name) for place, name in enumerate(names) if name not in named)
                    return _Header(kind, len(names), order, "", separator, stated, kinds, others)
        return self._almost_header(_names(line, ","))

    def _begins_header(self, line: str) -> bool:
        start, whole = line.strip(), map(",".join, self._columns.values())
        return len(start) > 2 and any(each.startswith(start) and each != start for each in whole)

    def _almost_header(self, names: Sequence[str]) -> _Header | None:
        if len(names) < 3 or not all(_WORD.fullmatch(name) for name in names):
            return None
        for kind, columns in self._columns.items():
            known = set(names) & set(columns)
            if (names[0] == columns[0] and len(known) > 1) or 2 * len(known) >= len(columns):
                missing = [column for column in columns if column not in names]
                unknown = [name for name in names if name not in columns]
                return _Header(kind, len(names), fault=f"its header row lacks {missing}, has unknown {unknown}"[:300])
        return None

    # -- rows

    def _take(self, position: int, end: int, header: _Header) -> tuple[PartKind, int]:
        """Read the record at `position`, whose first line ends at `end`; return its kind, and where the next begins."""
        separator = self._separator(self._text[position:end], header)
        fields, stop = parse_strict(self._text, position, separator)
        is_broken = fields is None and (stop == position or not self._may_be_cut)
        has_other_width = fields is None or len(fields) != header.width
        if is_broken or (has_other_width and stop > end and self._hides_rows(end + 1, stop, header)):
            fields, stop = parse_lenient(self._text[position:end], separator), end  # a quote must not swallow rows
        row = self._text[position:stop]
        if separator == "|" and fields is not None and len(fields) == header.width + 2 and row.lstrip().startswith("|"):
            fields = fields[1:-1]  # a row of a table in Markdown
        if (fields is None or len(fields) != header.width) and (tuple_ := _TUPLE.fullmatch(row)):
            fields = parse_lenient(re.sub(r",\s+", ",", tuple_[1]), separator)
        if fields is not None and len(fields) == header.width + 1:
            fields = joined(fields, separator, header.kinds) or fields
        last = stop >= self._last_content
        if last and self._was_cut and stop == len(self._text) and (self._close or self._is_row(row, fields, header)):
            kind = self._reject_cut(row, header)
        elif fields is not None and len(fields) == header.width:
            kind = self._accept(fields, row, header)
        elif not self._is_row(row, fields, header):
            self._close, kind = False, _prose(row)
        elif last and self._may_be_cut:
            kind = self._reject_cut(row, header)
        elif fields is None:
            kind = self._reject(row, RejectionReason.UNBALANCED_QUOTE, "a quote is not closed")
        else:
            detail = f"{len(fields)} fields for {header.width} columns"
            kind = self._reject(row, RejectionReason.COLUMN_COUNT, detail)
        return kind, self._after(stop)

    def _separator(self, line: str, header: _Header) -> str:
        """Return what stands between the fields of a row: the header's separator, or another that gives all columns."""
        fits = (each for each in (header.separator, *SEPARATORS) if line.count(each) >= header.width - 1)
        return next(fits, header.separator)

    def _accept(self, fields: Sequence[str], row: str, header: _Header) -> PartKind:
        self._close = True
        if header.fault:
            return self._reject(row, RejectionReason.COLUMN_COUNT, header.fault)
        longest = max(map(len, fields))
        if self._accepted >= MAX_ROWS:
            return self._reject(row[:40], RejectionReason.ANSWER_TOO_LARGE, f"more than {MAX_ROWS} rows")
        if longest > MAX_FIELD:
            return self._reject(row, RejectionReason.TOO_LONG, f"a field of {longest} characters; at most {MAX_FIELD}")
        ordered = tuple(fields[place] if place >= 0 else "" for place in header.order)
        others = tuple((name, fields[place]) for place, name in header.others)
        stated = header.stated is None or fields[header.stated].strip().casefold() != "false"
        self._version.rows.append(RawRow(self._line, header.kind, ordered, row[:SHOWN], stated, others))
        self._accepted += 1
        return PartKind.ROW

    def _reject_cut(self, row: str, header: _Header) -> PartKind:
        """Reject the row in which the answer was cut; the beginning of a header row is none."""
        if self._begins_header(row):
            return PartKind.HEADER
        return self._reject(row, RejectionReason.TRUNCATED, f"the answer ends within this {header.kind} row")

    def _reject(self, row: str, reason: RejectionReason, detail: str) -> PartKind:
        self._version.rejections.append(Rejection(self._line, row[:SHOWN], reason, detail))
        self._rejected += 1
        return PartKind.REJECTION

    def _is_row(self, line: str, fields: Sequence[str] | None, header: _Header) -> bool:
        """Tell a malformed row from prose: strictly after rows, mildly after a blank line."""
        if _prose(line) is PartKind.FENCE:
            return False
        if self._close and (any(each in line for each in SEPARATORS) or '"' in line or _LONE_ID.fullmatch(line)):
            return True
        if (fields is not None and len(fields) == header.width) or _BEGINS_WITH_ID.match(line):
            return True
        most = max(map(line.count, SEPARATORS))
        return most * 2 + 1 >= header.width or bool(_LONE_ID.fullmatch(line.partition(",")[0]))

    def _hides_rows(self, start: int, end: int, header: _Header) -> bool:
        """Return whether a header or a whole row begins on a line within the text from `start` to `end`."""
        while start < end:
            stop = self._line_end(start)
            if self._as_header(self._text[start:stop]):
                return True
            fields, _ = parse_strict(self._text, start, self._separator(self._text[start:stop], header))
            if fields is not None and len(fields) == header.width and _ID_LIKE.fullmatch(fields[0]):
                return True
            start = stop + 1
        return False

    def _after(self, end: int) -> int:
        """Return where the next part begins: after a line feed, or with a thought."""
        return end + self._text.startswith("\n", end)

    def _line_end(self, position: int) -> int:
        """Return where the line ends, or a thought begins within it."""
        end = self._text.find("\n", position)
        end = len(self._text) if end < 0 else end
        return min((start for start in self._thoughts if position < start < end), default=end)


def _text_of(value: object) -> str:
    """Return a value of JSON as a field of a row."""
    if isinstance(value, list):
        return " ".join(map(_text_of, value))
    return "" if value is None else str(value)


def _prose(line: str) -> PartKind:
    """Return what a line is that is no row."""
    return PartKind.IGNORED if any(char.isalnum() for char in line) else PartKind.FENCE


def _names(line: str, separator: str) -> list[str]:
    """Return the words of a line that may be a header; quotes around (or lost among) them do not matter."""
    plain = line.replace('"', "").strip(_HEADER_EDGE)
    return [name.strip(_HEADER_EDGE).casefold() for name in plain.split(separator)]
