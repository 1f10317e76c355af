"""The small pieces that a document is made of: headings, paragraphs, lists, tables, code. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j.records import Document, Section

PATH_SEPARATOR = " > "

_LIST_ITEM = re.compile(r"\s{0,12}(?:[-*+•–‣]\s|\d{1,3}[.)]\s|\([a-z0-9]{1,2}\)\s)")
_TABLE_ROW = re.compile(r"\s{0,12}\|.|[^|\n]{0,500}\S \| \S")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_NEWLINES = re.compile(r"\n+")
_WRAPPED_LINE = 200  # characters; hard-wrapped text has no longer lines, so a longer line is a paragraph of its own


@dataclass(frozen=True, slots=True)
class LayoutPiece:
    """A span of a document's text that its layout sets apart."""

    start: int
    end: int
    kind: str  # "heading", "paragraph", "list", "table" or "code"
    section: str  # path of headings
    level: int  # of the heading, 1 is the highest; 0 for what is no heading
    page: int  # from 0; 0 where there are no pages


def pieces(document: Document) -> Iterator[LayoutPiece]:
    """Yield the pieces of `document` in order; together they cover its text but for white space."""
    text, pages = document.text, document.pages
    headings = {section.start: section for section in document.sections}
    waiting = sorted(document.sections, key=lambda section: (section.start, section.level))[::-1]
    inside: list[Section] = []
    for start, end, kind in _blocks(text, headings, pages):
        while waiting and waiting[-1].start <= start:
            inside.append(waiting.pop())
        inside = [section for section in inside if section.end > start]
        path = PATH_SEPARATOR.join(section.title for section in inside)
        level = headings[start].level if kind == "heading" else 0
        own = stripped(text, start, end)
        yield LayoutPiece(*own, kind, path, level, max(0, bisect_right(pages, own[0]) - 1))


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the lines of a span, without their line breaks."""
    while start < end:
        found = text.find("\n", start, end)
        stop = end if found < 0 else found
        yield start, stop
        start = stop + 1


@dataclass(slots=True)
class _Block:
    """A run of lines that belong together; of many lines no more is kept than of one."""

    start: int
    end: int
    kind: str
    has_long_line: bool = False

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the block as one piece, or line by line where each line is a paragraph."""
        if self.kind != "paragraph" or not self.has_long_line:
            yield self.start, self.end, self.kind
            return
        yield from ((start, end, self.kind) for start, end in lines(text, self.start, self.end))


def _blocks(text: str, headings: Container[int], pages: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of runs of lines that belong together, of one page; `headings` are where some begin."""
    block: _Block | None = None
    fenced = False
    for start, end, kind in _lines(text, headings):
        is_long = end - start > _WRAPPED_LINE
        toggles = kind != "heading" and _FENCE.match(text, start, end) is not None
        if block is not None and (fenced or (not toggles and _continues(text, block, start, end, kind, pages))):
            block.end = end if kind != "blank" else block.end
            block.has_long_line |= is_long
        else:
            if block is not None:
                yield from block.spans(text)
            block = None if kind == "blank" else _Block(start, end, kind, has_long_line=is_long)
        if toggles and block is not None:
            fenced = not fenced
            block.kind = "code"
            if not fenced:
                yield from block.spans(text)
                block = None
    if block is not None:
        yield from block.spans(text)


def _continues(text: str, block: _Block, start: int, end: int, kind: str, pages: Sequence[int]) -> bool:
    """Say whether a line belongs to the block before it: no page begins in between."""
    if kind == "blank" or (pages and bisect_right(pages, start) > bisect_right(pages, block.start)):
        return False
    if block.kind == "list" and kind == "paragraph":
        return text[start].isspace()  # an item's further lines are indented
    return kind == block.kind != "heading"


def _lines(text: str, headings: Container[int]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of lines, of empty ones in a row the first; a heading begins where a section does."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if start in headings:
            kind = "heading"
        elif text[start:end].isspace() or start == end:
            kind = "blank"
        elif _LIST_ITEM.match(text, start, end):
            kind = "list"
        elif _TABLE_ROW.match(text, start, end):
            kind = "table"
        else:
            kind = "paragraph"
        yield start, end, kind
        rest = _NEWLINES.match(text, end) if start == end else None
        start = rest.end() if rest else end + 1
