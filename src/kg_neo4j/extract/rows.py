"""From a model's answer to raw rows. Pure: text in, rows and rejections out, and every data row is one or the other.

The two sections are found by their exact header rows, wherever and as often as they stand. Under a header that is
almost one, rows are counted and rejected. What is neither header nor row (prose, fences, blank lines) is not counted.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.extract.schema import Schema
from kg_neo4j.records import Rejection, RejectionReason

STATED = "stated"  # a column that the relationship section may have besides the schema's: "false" for likely rows
MAX_ANSWER = 1_000_000  # characters; the longest answers of today's models have about 500,000
MAX_ROWS = 20_000
MAX_REJECTIONS = 100_000  # then the rest counts as one
MAX_FIELD = 131_072  # characters, the csv module's own limit
SHOWN = 500  # characters of a rejected row that are kept

_THINK = re.compile(r"[ \t]*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_ORPHAN = re.compile(r"</(?:think|thinking|thought|reasoning)>[ \t]*\n", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ID_LIKE = re.compile(r'\s*"?[^\s",]{1,64}"?\s*')
_LONE_ID = re.compile(r"\s*[A-Za-z]{0,12}[_-]?[0-9]+\s*")
_WORD = re.compile(r"[\w ]{1,40}")
_HEADER_EDGE = ' \t"*`\ufeff\u200b'
# A quoted field (spaces around the quotes are tolerated), or one without any quote; both up to a comma or a line end.
_FIELD = re.compile(r'[ \t]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"[ \t]*+(?=[,\n]|\Z)|(?P<plain>[^",\n]*+)(?=[,\n]|\Z)')
_OPEN = re.compile(r'[ \t]*+"[^"]*+(?:""[^"]*+)*+\Z')
_QUOTE_RUN = re.compile(r'\\?"+')


class RowKind(enum.StrEnum):
    """The section of a row."""

    NODE = "node"
    RELATIONSHIP = "relationship"


@dataclass(frozen=True, slots=True)
class RawRow:
    """A data row with as many fields as the schema's section has columns, in the schema's order."""

    line: int  # in the answer, from 1
    kind: RowKind
    fields: tuple[str, ...]
    text: str  # as the model wrote it, shortened to 500 characters
    stated: bool = True  # False: the answer calls it likely only


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The content of an answer. rows + rejections = data rows read."""

    rows: tuple[RawRow, ...]
    rejections: tuple[Rejection, ...]
    sections: frozenset[RowKind]  # those whose exact header row was found

    @property
    def count(self) -> int:
        """Data rows read."""
        return len(self.rows) + len(self.rejections)


@dataclass(frozen=True, slots=True)
class _Header:
    """A header row. `order` gives, for each column of the schema, its place in the answer's rows."""

    kind: RowKind
    width: int
    order: tuple[int, ...] = ()
    fault: str = ""  # why rows below it cannot be used
    separator: str = ","
    stated: int | None = None  # the place of the column that says whether a row is stated, where there is one


def read(text: str, schema: Schema, *, finish_reason: str | None) -> ReadRows:
    """Return the data rows of a model's answer.

    `finish_reason` "length" says that the answer was cut: a last row without a line end is TRUNCATED. Without a finish
    reason a last row that lacks columns is. An unbalanced quote costs its own row only. Never raises.
    """
    return _RowReader(text.replace("\r\n", "\n").replace("\r", "\n"), schema, finish_reason).read()


class _RowReader:
    """Walks over one answer, line by line, record by record."""

    def __init__(self, text: str, schema: Schema, finish_reason: str | None) -> None:
        self._rest = ""
        if len(text) > MAX_ANSWER:
            cut = text.rfind("\n", 0, MAX_ANSWER) + 1 or MAX_ANSWER
            text, self._rest = text[:cut], text[cut:]
        self._text = text
        self._columns = {RowKind.NODE: schema.node_header, RowKind.RELATIONSHIP: schema.relationship_header}
        names = sorted({name for columns in self._columns.values() for name in columns})
        self._column_name = re.compile("|".join(map(re.escape, names)), re.IGNORECASE)
        self._unclosed: set[str] = set()  # reasoning tags without an end, so that each is looked for once
        self._was_cut = finish_reason == "length"
        self._may_be_cut = finish_reason in ("length", None)
        self._last_content = len(text.rstrip())  # a record that reaches here is the last thing said
        self._line = 1
        self._header: _Header | None = None
        self._close = False  # no blank line, fence or prose since the last header or row
        self._rows: list[RawRow] = []
        self._rejections: list[Rejection] = []
        self._sections: set[RowKind] = set()

    def read(self) -> ReadRows:
        position = self._after_orphan_reasoning()
        self._line += self._text.count("\n", 0, position)
        while position < len(self._text) and len(self._rejections) < MAX_REJECTIONS:
            following = self._step(position)
            self._line += self._text.count("\n", position, following)
            position = following
        rest = self._text[position:] + self._rest
        if rest.strip():
            detail = f"{len(rest)} characters in {rest.count(chr(10)) + 1} lines were not read"
            self._reject(rest, RejectionReason.ANSWER_TOO_LARGE, detail)
        return ReadRows(tuple(self._rows), tuple(self._rejections), frozenset(self._sections))

    def _step(self, position: int) -> int:
        """Deal with what begins at `position` and return where the next line begins."""
        end = self._line_end(position)
        line = self._text[position:end]
        if (think := _THINK.match(line)) and (after := self._after_reasoning(think[1], position)):
            return after
        if not line.strip() or _FENCE.match(line):
            self._close = False
        elif header := self._as_header(line):
            self._header, self._close = header, True
            if not header.fault:
                self._sections.add(header.kind)
        elif self._header is not None and self._header.fault:
            return self._take_faulty(position, end, self._header)
        elif self._header is not None:
            return self._take(position, end, self._header)
        return end + 1

    # -- reasoning

    def _after_reasoning(self, tag: str, position: int) -> int:
        """Return where the block ends; 0 where an unclosed tag stands among rows and so is no reasoning."""
        closing = None
        if tag not in self._unclosed:
            closing = re.compile(rf"</{tag}>", re.IGNORECASE).search(self._text, position)
        if closing:
            return closing.end()
        self._unclosed.add(tag)
        return 0 if self._sections else len(self._text)

    def _after_orphan_reasoning(self) -> int:
        """Return where the answer begins if a server cut off the opening tag: after it, a node header must follow."""
        found = None
        for found in _ORPHAN.finditer(self._text):  # noqa: B007 (the last one)
            pass
        if found is None or _THINK.search(self._text, 0, found.start()):
            return 0
        lines = self._text[found.end() :].split("\n")
        headers = (self._as_header(line) for line in lines)
        follows = any(header and header.kind is RowKind.NODE and not header.fault for header in headers)
        return found.end() if follows else 0

    # -- headers

    def _as_header(self, line: str) -> _Header | None:
        if not 8 < len(line) < 2000 or not self._column_name.search(line):
            return None
        names = _names(line, ",")
        for kind, columns in self._columns.items():
            more = {STATED} & set(names) if kind is RowKind.RELATIONSHIP else set()
            if len(names) == len(columns) + len(more) and set(names) == set(columns) | more:
                order = tuple(names.index(column) for column in columns)
                return _Header(kind, len(names), order, stated=names.index(STATED) if more else None)
        for separator in ";\t|":
            others = [name for name in _names(line, separator) if name]
            for kind, columns in self._columns.items():
                if len(others) == len(columns) and set(others) == set(columns):
                    return _Header(kind, len(columns), (), f"fields are parted by {separator!r}, not ','", separator)
        return self._almost_header(names)

    def _almost_header(self, names: Sequence[str]) -> _Header | None:
        if len(names) < 3 or not all(_WORD.fullmatch(name) for name in names):
            return None
        for kind, columns in self._columns.items():
            known = set(names) & set(columns)
            if (names[0] == columns[0] and len(known) > 1) or 2 * len(known) >= len(columns):
                missing = [column for column in columns if column not in names]
                unknown = [name for name in names if name not in columns]
                fault = f"its header row lacks {missing}, has unknown {unknown}"[:300]
                return _Header(kind, len(names), (), fault)
        return None

    # -- rows

    def _take(self, position: int, end: int, header: _Header) -> int:
        """Read the record at `position`, whose first line ends at `end`; return where the next line begins."""
        record = _parse_strict(self._text, position)
        whole = record is not None and record.complete and len(record.fields) == header.width
        if record and not whole and record.end > end and self._hides_rows(end + 1, record.end, header):
            record = None  # an unbalanced quote: it must not swallow what follows
        if record and not record.complete and not self._may_be_cut:
            record = None
        stop = record.end if record else end
        row = self._text[position:stop]
        fields = record.fields if record and record.complete else parse_lenient(row) if record is None else None
        last = stop >= self._last_content
        if last and self._was_cut and stop == len(self._text) and (self._close or self._is_row(row, fields, header)):
            self._reject_cut(row, header)
        elif fields is not None and len(fields) == header.width:
            self._accept(fields, row, header)
        elif not self._is_row(row, fields, header):
            self._close = False
        elif last and self._may_be_cut:
            self._reject_cut(row, header)
        elif fields is None:
            self._reject(row, RejectionReason.UNBALANCED_QUOTE, "a quote is not closed")
        else:
            detail = f"{len(fields)} fields for {header.width} columns"
            self._reject(row, RejectionReason.COLUMN_COUNT, detail)
        return stop + 1

    def _take_faulty(self, position: int, end: int, header: _Header) -> int:
        """Count what stands under a header that is almost one."""
        record = _parse_strict(self._text, position)
        if header.separator == "," and record and record.complete and len(record.fields) == header.width:
            end = record.end
        line = self._text[position:end]
        parted = line.count(header.separator) + 1 >= header.width
        if parted or (self._close and header.separator in line):
            self._reject(line, RejectionReason.COLUMN_COUNT, header.fault)
        else:
            self._close = False
        return end + 1

    def _accept(self, fields: Sequence[str], row: str, header: _Header) -> None:
        self._close = True
        longest = max(len(field) for field in fields)
        if len(self._rows) >= MAX_ROWS:
            self._reject(row[:40], RejectionReason.ANSWER_TOO_LARGE, f"more than {MAX_ROWS} rows")
        elif longest > MAX_FIELD:
            self._reject(row, RejectionReason.TOO_LONG, f"a field of {longest} characters; at most {MAX_FIELD}")
        else:
            ordered = tuple(fields[place] for place in header.order)
            stated = header.stated is None or fields[header.stated].strip().casefold() != "false"
            self._rows.append(RawRow(self._line, header.kind, ordered, row[:SHOWN], stated))

    def _reject_cut(self, row: str, header: _Header) -> None:
        """Reject the row in which the answer was cut; the beginning of a header row is none."""
        start = row.strip()
        if len(start) > 2 and any(",".join(columns).startswith(start) for columns in self._columns.values()):
            return
        self._reject(row, RejectionReason.TRUNCATED, f"the answer ends within this {header.kind} row")

    def _reject(self, row: str, reason: RejectionReason, detail: str) -> None:
        self._rejections.append(Rejection(self._line, row[:SHOWN], reason, detail))

    def _is_row(self, line: str, fields: Sequence[str] | None, header: _Header) -> bool:
        """Tell a malformed row from prose: strictly after rows, mildly after a blank line."""
        if not any(char.isalnum() for char in line):
            return False
        if self._close and ("," in line or '"' in line or _LONE_ID.fullmatch(line)):
            return True
        if fields is not None and len(fields) == header.width:
            return True
        return line.count(",") * 2 + 1 >= header.width or bool(_LONE_ID.fullmatch(line.partition(",")[0]))

    def _hides_rows(self, start: int, end: int, header: _Header) -> bool:
        """Return whether a header or a whole row begins on a line within the text from `start` to `end`."""
        while start < end:
            stop = self._line_end(start)
            if self._as_header(self._text[start:stop]):
                return True
            record = _parse_strict(self._text, start)
            whole = record is not None and record.complete and len(record.fields) == header.width
            if whole and record is not None and _ID_LIKE.fullmatch(record.fields[0]):
                return True
            start = stop + 1
        return False

    def _line_end(self, position: int) -> int:
        end = self._text.find("\n", position)
        return len(self._text) if end < 0 else end


def _names(line: str, separator: str) -> list[str]:
    """Return the words of a line that may be a header; quotes around (or lost among) them do not matter."""
    plain = line.replace('"', "").strip(_HEADER_EDGE)
    return [name.strip(_HEADER_EDGE).casefold() for name in plain.split(separator)]


# ------------------------------------------------------------------------------------------------- one CSV record

# Read twice: as RFC 4180 has it, and as careless writers have it. The csv module is not used: it stops at NUL and at
# 131,072 characters, and one stray quote makes it swallow all the rows that follow.


@dataclass(frozen=True, slots=True)
class _Record:
    """A record and the offset after its last field. Not complete: its last quote is still open at the text's end."""

    fields: tuple[str, ...]
    end: int
    complete: bool = True


def _parse_strict(text: str, start: int) -> _Record | None:
    """Return the RFC 4180 record at `start`; line breaks within quotes belong to it. None where it is malformed."""
    fields: list[str] = []
    position = start
    while True:
        match = _FIELD.match(text, position)
        if match is None:
            if _OPEN.match(text, position):
                return _Record(tuple(fields), len(text), complete=False)
            return None
        quoted = match["quoted"]
        fields.append(match["plain"] if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if position == len(text) or text[position] == "\n":
            return _Record(tuple(fields), position)
        position += 1  # the comma


def parse_lenient(line: str) -> tuple[str, ...] | None:
    r"""Return the fields of one line whose quotes are in pairs, although not where RFC 4180 has them; else None.

    Reads `Dwayne "The Rock" Johnson`, `"he said "yes" twice"` and `"he said \"yes\""`.
    """
    fields: list[str] = []
    position = 0
    while True:
        indent = len(line) - len(line[position:].lstrip(" \t"))
        if line.startswith('"', indent):
            found = _quoted(line, indent + 1)
            if found is None:
                return None
            field, position = found
        else:
            end = line.find(",", position)
            end = len(line) if end < 0 else end
            field, position = line[position:end], end
        if field.count('"') % 2:
            return None
        fields.append(field)
        if position >= len(line):
            return tuple(fields)
        position += 1


def _quoted(line: str, start: int) -> tuple[str, int] | None:
    """Return a quoted field's text and the offset of the comma or line end after it; None where nothing closes it."""
    for run in _QUOTE_RUN.finditer(line, start):
        if run[0].startswith("\\") or len(run[0]) % 2 == 0:
            continue
        rest = line[run.end() :].lstrip(" \t")
        if not rest or rest.startswith(","):
            inner = line[start : run.end() - 1]
            return inner.replace('\\"', '"').replace('""', '"'), len(line) - len(rest)
    return None
