"""The text of a passage, cut where something begins or ends: paragraphs, mentions, statements, pages. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_BREAK = re.compile(r"\n[ \t\r]*\n\s*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_SHORT = 64  # characters: lines of verse or of a list are kept apart, those of prose run on


@dataclass(frozen=True, slots=True)
class LinkedFact:
    """A fact with the ids of its ends."""

    id: str
    source: str
    source_id: str
    type: str
    target: str
    target_id: str


@dataclass(frozen=True, slots=True)
class MarkedMention:
    """Words of a passage that name an entity."""

    start: int
    end: int
    entity: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class MarkedFacts:
    """Words of a passage that state facts; numbered from 1."""

    number: int
    start: int  # offsets into the passage
    end: int
    facts: tuple[LinkedFact, ...]


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """Words that the same things cover."""

    text: str
    entity: str = ""
    entity_id: str = ""
    statements: tuple[int, ...] = ()  # numbers of those that cover it
    ended: tuple[int, ...] = ()  # numbers of those that end with it
    meant: bool = False  # within the words that a link leads to
    is_here: bool = False  # the first of those
    page: int | None = None  # that begins here


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A heading, a paragraph, or lines that are kept apart."""

    kind: str  # "heading", "paragraph" or "lines"
    parts: tuple[MarkedPart, ...]


def blocks(
    text: str,
    mentions: Sequence[MarkedMention] = (),
    statements: Sequence[MarkedFacts] = (),
    meant: tuple[int, int] | None = None,
    pages: Sequence[tuple[int, int]] = (),
) -> tuple[MarkedBlock, ...]:
    """Return a text in blocks. Of mentions that overlap, the first and longest is kept.

    `pages` are offsets with the number of the page that begins there.
    """
    kept = _apart(mentions)
    meant = meant if meant and meant[0] < meant[1] else (-1, -1)
    is_met = False
    begun = dict(pages)
    spans = [(each.start, each.end) for each in kept] + [(each.start, each.end) for each in statements]
    points = sorted({point for span in (*spans, meant) for point in span} | set(begun))
    found = []
    for kind, first, last in _paragraphs(text):
        inner = points[bisect_right(points, first) : bisect_left(points, last)]
        edges = [first, *inner, last]
        parts = []
        for start, end in pairwise(edges):
            named = next((each for each in kept if each.start <= start and end <= each.end), None)
            is_meant = meant[0] < end and start < meant[1]
            over = [each for each in statements if each.start < end and start < each.end]
            parts.append(
                MarkedPart(
                    text[start:end],
                    named.entity if named else "",
                    named.entity_id if named else "",
                    tuple(each.number for each in over),
                    tuple(each.number for each in over if each.end == end or (end == last and _ends(each, text, end))),
                    is_meant,
                    is_meant and not is_met,
                    next((begun[at] for at in sorted(begun) if start <= at < end), None),
                )
            )
            is_met = is_met or is_meant
        found.append(MarkedBlock(kind, tuple(parts)))
    return tuple(found)


def _ends(statement: MarkedFacts, text: str, end: int) -> bool:
    """Return whether nothing but space is left of a statement."""
    return not text[end : statement.end].strip()


def _apart(mentions: Sequence[MarkedMention]) -> list[MarkedMention]:
    kept: list[MarkedMention] = []
    for each in sorted(mentions, key=lambda each: (each.start, -each.end, each.entity_id)):
        if each.start < each.end and (not kept or kept[-1].end <= each.start):
            kept.append(each)
    return kept


def _paragraphs(text: str) -> list[tuple[str, int, int]]:
    """Return kind, start and end of each paragraph that has words; a mark of a heading is left out."""
    found = []
    start = 0
    for end, following in [*((m.start(), m.end()) for m in _BREAK.finditer(text)), (len(text), len(text))]:
        words = text[start:end]
        heading = _HEADING.match(words)
        if heading and "\n" not in words.strip():
            found.append(("heading", start + heading.end(), end))
        elif words.strip():
            lines = words.strip("\n").split("\n")
            apart = len(lines) > 1 and all(len(line) < _SHORT for line in lines[:-1])
            found.append(("lines" if apart else "paragraph", start, end))
        start = following
    return found
