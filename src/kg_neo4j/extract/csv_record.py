"""One record of CSV, as RFC 4180 has it, and as careless writers have it. Pure.

The csv module is not used: it stops at NUL and at 131,072 characters, and one stray quote makes it swallow all the rows
that follow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from kg_neo4j.extract.schema import ColumnKind

_WORDED = (ColumnKind.NAME, ColumnKind.TEXT, ColumnKind.EVIDENCE)  # columns that may hold a comma
_ID = re.compile(r"\s*[A-Za-z]{0,12}[_-]?\d{1,6}\s*")
_FORMS = dict.fromkeys((ColumnKind.ID, ColumnKind.SOURCE, ColumnKind.TARGET), _ID)
_FORMS |= {ColumnKind.TYPE: re.compile(r"\s*[A-Z][A-Z0-9_ -]*\s*")}
_FORMS |= dict.fromkeys((ColumnKind.YEAR, ColumnKind.NUMBER, ColumnKind.DATE), re.compile(r"\s*|.*\d.*"))
_OPEN = re.compile(r'[ \t]*+"[^"]*+(?:""[^"]*+)*+\Z')
_QUOTE_RUN = re.compile(r'\\?"+')


@cache
def _field(separator: str) -> re.Pattern[str]:
    """Return what a field is: quoted, spaces around it, or without quotes; up to where the next begins."""
    part = re.escape(separator)
    quoted = rf'[ \t]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"[ \t]*?(?=[{part}\n]|\Z)'
    return re.compile(rf'{quoted}|(?P<plain>[^"{part}\n]*+)(?=[{part}\n]|\Z)')


def parse_strict(text: str, start: int, separator: str = ",") -> tuple[tuple[str, ...] | None, int]:
    """Return the RFC 4180 record at `start`, and where it ends; line breaks within quotes belong to it.

    There are no fields where its last quote is still open at the text's end, or where it is malformed: then it ends at
    `start`.
    """
    fields: list[str] = []
    position = start
    while match := _field(separator).match(text, position):
        quoted = match["quoted"]
        fields.append(match["plain"] if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if position == len(text) or text[position] == "\n":
            return tuple(fields), position
        position += 1  # the separator
    return None, len(text) if _OPEN.match(text, position) else start


def parse_lenient(line: str, separator: str = ",") -> tuple[str, ...] | None:
    r"""Return the fields of one line whose quotes are in pairs, although not where RFC 4180 has them; else None.

    Reads `Dwayne "The Rock" Johnson`, `"he said "yes" twice"` and `"he said \"yes\""`.
    """
    fields: list[str] = []
    position = 0
    while True:
        indent = len(line) - len(line[position:].lstrip(" \t"))
        if line.startswith('"', indent):
            if (found := _quoted(line, indent + 1, separator)) is None:
                return None
            field, position = found
        else:
            end = line.find(separator, position)
            end = len(line) if end < 0 else end
            field, position = line[position:end], end
        if field.count('"') % 2:
            return None
        fields.append(field)
        if position >= len(line):
            return tuple(fields)
        position += 1


def _quoted(line: str, start: int, separator: str) -> tuple[str, int] | None:
    """Return a quoted field's text and the offset of the separator or line end after it; None where there is none."""
    for run in _QUOTE_RUN.finditer(line, start):
        if run[0].startswith("\\") or len(run[0]) % 2 == 0:
            continue
        rest = line[run.end() :].lstrip(" \t")
        if not rest or rest.startswith(separator):
            inner = line[start : run.end() - 1]
            return inner.replace('\\"', '"').replace('""', '"'), len(line) - len(rest)
    return None


def joined(fields: Sequence[str], separator: str, kinds: Sequence[ColumnKind | None]) -> tuple[str, ...] | None:
    """Return the fields of a row with one separator too many, where it can be within one field only; else None.

    Of several places one counts if a space follows the separator there, and nowhere else.
    """
    found = []
    for place, kind in enumerate(kinds):
        parts = fields[place : place + 2]
        if kind in _WORDED and all(map(str.strip, parts)):
            joined = (*fields[:place], separator.join(parts), *fields[place + 2 :])
            if all(_FORMS[kind].fullmatch(each) for each, kind in zip(joined, kinds, strict=True) if kind in _FORMS):
                found.append((place, joined))
    spaced = [place for place, each in enumerate(fields) if each.startswith(" ")]
    fits = found if len(found) < 2 else [each for each in found if spaced == [each[0] + 1]]
    return fits[0][1] if len(fits) == 1 else None
