"""What readers give: of a file format text with its structure, of a source of another package its texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from kg_neo4j.acquire.decoding import normalise_text
from kg_neo4j.records import Section, SkippedSource

MOST_EXACT = 1e15  # a float up to it has all its digits
_MAIL = re.compile(r"\s*<[^<>\s]+@[^<>\s]+>")

Attached = tuple[tuple[str, bytes], ...]  # files within a source, each a source of its own: name and contents


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user says of files. A reader heeds what concerns its format."""

    encoding: str | None = None  # of text, as `decoding.check_encoding` returns it; None: found for each file
    language: str | None = None  # code, such as "pl"; None: found for each file
    password: str | None = field(default=None, repr=False)  # that opens files
    home: str | None = None  # data folder, in which what is read from pictures is kept; None: it is not kept


PLAIN = ReadOptions()


class NeedsMore(Exception):
    """Raised by a reader for a file that another function reads, with other limits."""

    def __init__(self, kind: str, seconds: float, memory_bytes: int) -> None:
        super().__init__(kind, seconds, memory_bytes)


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The text of one source. Offsets of sections and pages are into `text`."""

    text: str
    title: str | None = None  # as the source gives it; None where it gives none
    sections: tuple[Section, ...] = ()
    pages: tuple[int, ...] = ()  # start offset of each page
    left_out: str = ""  # what of the source is not in `text`, in words
    author: str = ""  # as the source gives it, several parted by commas
    date: str = ""  # as the source gives it
    attached: Attached = ()


def with_head(parsed: ParsedText, fields: Mapping[str, Any]) -> ParsedText:
    """Return a text with the title, author and date that the fields of its head give; else its first heading as title.

    The names of fields may have any case. Addresses of mail are left out of the author.
    """
    found = {name.lower(): words for name, value in fields.items() if (words := _words(value))}
    heading = next((each.title for each in parsed.sections if each.level == 1), None)
    author = _MAIL.sub("", found.get("author") or found.get("authors", ""))
    date = found.get("date") or found.get("created", "")
    return replace(parsed, title=found.get("title", heading), author=author, date=date)


def _words(value: Any) -> str:
    """Return the words of a text, of a date, of a list of them, or of the name in a table."""
    if isinstance(value, dict):
        value = value.get("name", "")
    if isinstance(value, list):
        return ", ".join(filter(None, map(_words, value)))
    return " ".join(getattr(value, "isoformat", lambda: str(value))().split())


def cell_text(value: Any) -> str:
    """Return the value of a cell as people write it: whole numbers without a point, days without an hour."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        is_whole = value.is_integer() and abs(value) < MOST_EXACT
        return str(int(value)) if is_whole else f"{value:.15g}"
    if isinstance(value, datetime):
        has_hour = value.hour or value.minute or value.second
        return value.isoformat(" ") if has_hour else value.date().isoformat()
    if isinstance(value, list | tuple):
        return "; ".join(map(cell_text, value))
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict) else str(value)


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text of a source; it becomes a document."""

    key: str  # names it within the source: a text that comes again under its key is the same document
    text: str
    title: str = ""  # empty: the key
    url: str | None = None
    language: str | None = None  # code, such as "en"; None: it is detected
    details: Mapping[str, Any] = field(default_factory=dict)  # author, date, left_out and version, as of a `Document`


@runtime_checkable
class Source(Protocol):
    """Gives texts to load, such as those of a mailbox or a wiki. Web pages have `since`, too (`kg_neo4j_readers`)."""

    @property
    def name(self) -> str:
        """Goes before the keys, so that two sources may use the same."""

    def texts(self) -> Iterable[SourceText | SkippedSource]:
        """Yield the texts, and what cannot be read, one at a time. Raise SourceError where it is the whole source."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and where its line begins; what `close_sections` makes sections from."""

    title: str
    level: int  # 1 is the highest
    start: int


def close_sections(headings: list[Heading], end: int) -> tuple[Section, ...]:
    """Return the sections that `headings`, in the order of the text, open: each ends at the next one not below it."""
    closed: list[Section] = []
    later: list[Heading] = []  # that may end a section, the nearest one last
    for heading in reversed(headings):
        while later and later[-1].level > heading.level:
            later.pop()
        closed.append(Section(heading.title, heading.level, heading.start, later[-1].start if later else end))
        later.append(heading)
    return tuple(reversed(closed))


class TextBuilder:
    """Puts a text together block by block and remembers where headings begin."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []

    def add(self, block: str, *, gap: str = "\n\n") -> None:
        """Append a block, normalised; blank ones are left out."""
        block = normalise_text(block).strip("\n")
        if block.strip():
            self._append(gap if self._length else "", block)

    def add_heading(self, title: str, level: int, mark: str = "") -> None:
        """Append a heading as a block of its own, behind its mark."""
        if title := " ".join(normalise_text(title).split()):
            self._append("\n\n" if self._length else "", mark + title)
            self._headings.append(Heading(title, level, self._length - len(mark + title)))

    def build(self, title: str | None = None) -> ParsedText:
        """Return what was put together."""
        text = "".join(self._parts)
        return ParsedText(text, title, close_sections(self._headings, len(text)))

    def _append(self, *parts: str) -> None:
        for part in parts:
            self._parts.append(part)
            self._length += len(part)
