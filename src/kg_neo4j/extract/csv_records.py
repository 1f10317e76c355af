"""One CSV record from a text, twice: as RFC 4180 has it, and as careless writers have it. Pure.

The csv module is not used: it stops at NUL and at 131,072 characters, and one stray quote makes it swallow all the
rows that follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A quoted field (spaces around the quotes are tolerated), or one without any quote; both up to a comma or a line end.
_FIELD = re.compile(r'[ \t]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"[ \t]*+(?=[,\n]|\Z)|(?P<plain>[^",\n]*+)(?=[,\n]|\Z)')
_OPEN = re.compile(r'[ \t]*+"[^"]*+(?:""[^"]*+)*+\Z')
_QUOTE_RUN = re.compile(r'\\?"+')


@dataclass(frozen=True, slots=True)
class Record:
    """A record and the offset after its last field. Not complete: its last quote is still open at the text's end."""

    fields: tuple[str, ...]
    end: int
    complete: bool = True


def parse_strict(text: str, start: int) -> Record | None:
    """Return the RFC 4180 record at `start`; line breaks within quotes belong to it. None where it is malformed."""
    fields: list[str] = []
    position = start
    while True:
        match = _FIELD.match(text, position)
        if match is None:
            if _OPEN.match(text, position):
                return Record(tuple(fields), len(text), complete=False)
            return None
        quoted = match["quoted"]
        fields.append(match["plain"] if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if position == len(text) or text[position] == "\n":
            return Record(tuple(fields), position)
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
