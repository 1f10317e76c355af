"""The small pieces that a document is made of: headings, paragraphs, lists, tables, code. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from kg_neo4j.records import Document, Section

PATH_SEPARATOR = " > "

_LIST_ITEM = re.compile(r"\s{0,12}(?:[-*+•–‣]\s|\d{1,3}[.)]\s|\([a-z0-9]{1,2}\)\s)")
_TABLE_ROW = re.compile(r"\s{0,12}\|.|[^|\n]{0,500}\S \| \S")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING_RULE = re.compile(r"\s{0,3}(?:=+|-{2,})\s*")
_WRAPPED_LINE = 200  # characters; hard-wrapped text has no longer lines, so a longer line is a paragraph of its own


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a document's text that its layout sets apart."""

    start: int
    end: int
    kind: str  # "heading", "paragraph", "list", "table" or "code"
    section: str  # path of headings
    level: int  # of the heading, 1 is the highest; 0 for what is no heading
    page: int  # from 0; 0 where there are no pages


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    kind: str


def pieces(document: Document) -> tuple[Piece, ...]:
    """Return the pieces of `document` in order; together they cover its text but for white space."""
    return tuple(each_piece(document))


def each_piece(document: Document) -> Iterator[Piece]:
    """Yield what `pieces` returns, one by one: there may be millions."""
    places = _Places(document)
    for found in _blocks(document.text, places):
        yield places.piece(*found)


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


class _Places:
    """Knows which section and which page an offset lies in. Offsets must be asked for in ascending order."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self.headings = {section.start: section for section in document.sections}
        self.pages = document.pages
        self._sections = sorted(document.sections, key=lambda section: (section.start, section.level))
        self._next = 0
        self._open: list[Section] = []

    def piece(self, start: int, end: int, kind: str) -> Piece:
        while self._next < len(self._sections) and self._sections[self._next].start <= start:
            self._open.append(self._sections[self._next])
            self._next += 1
        self._open = [section for section in self._open if section.end > start]
        path = PATH_SEPARATOR.join(section.title for section in self._open)
        level = self.headings[start].level if kind == "heading" else 0
        start, end = stripped(self._text, start, end)
        return Piece(start, end, kind, path, level, self.page(start))

    def page(self, offset: int) -> int:
        return max(0, bisect_right(self.pages, offset) - 1)

    def border_within(self, start: int, end: int) -> bool:
        """Say whether a page begins after `start` and at or before `end`."""
        return bool(self.pages) and bisect_right(self.pages, end) > bisect_right(self.pages, start)


def _blocks(text: str, places: _Places) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of runs of lines that belong together."""
    block: list[_Line] = []
    fenced = False
    for line in _lines(text, places):
        toggles = line.kind != "heading" and _FENCE.match(text, line.start, line.end) is not None
        if fenced:
            block.append(line)
        elif line.kind == "blank" or toggles or not _continues(text, block, line, places):
            yield from _closed(block)
            block = [line] if line.kind != "blank" else []
        else:
            block.append(line)
        if toggles:
            fenced = not fenced
            block[0].kind = "code"
            if not fenced:
                yield from _closed(block)
                block = []
    yield from _closed(block)


def _continues(text: str, block: list[_Line], line: _Line, places: _Places) -> bool:
    """Say whether `line` belongs to the block before it."""
    if not block or places.border_within(block[0].start, line.start):
        return False
    kind = block[0].kind
    if kind == "heading":
        return (
            len(block) == 1 and line.kind == "paragraph" and bool(_HEADING_RULE.fullmatch(text, line.start, line.end))
        )
    if kind == "list" and line.kind == "paragraph":
        return text[line.start].isspace()  # an item's further lines are indented
    return line.kind == kind


def _closed(block: list[_Line]) -> Iterator[tuple[int, int, str]]:
    """Yield a block as one piece, or line by line where each line is a paragraph."""
    block = [line for line in block if line.kind != "blank"]
    if not block:
        return
    kind = block[0].kind
    if kind == "paragraph" and any(line.end - line.start > _WRAPPED_LINE for line in block):
        for line in block:
            yield line.start, line.end, kind
    else:
        yield block[0].start, block[-1].end, kind


def _lines(text: str, places: _Places) -> Iterator[_Line]:
    """Yield every line; a heading is one that begins where a section does."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if start in places.headings:
            kind = "heading"
        elif text[start:end].isspace() or start == end:
            kind = "blank"
        elif _LIST_ITEM.match(text, start, end):
            kind = "list"
        elif _TABLE_ROW.match(text, start, end):
            kind = "table"
        else:
            kind = "paragraph"
        yield _Line(start, end, kind)
        start = end + 1
