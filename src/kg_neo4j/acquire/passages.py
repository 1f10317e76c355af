"""Passages: what is found, shown and cited of a text. Pure: the same text gives the same passages everywhere.

A passage is a run of whole sentences, up to 200 tokens, and begins at a heading where one stands. Neighbours have
about the same length, so that none is left with a few words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kg_neo4j.acquire.sentences import sentences

MOST_TOKENS = 200  # of a passage; one longer sentence is a passage
Spans = tuple[tuple[int, int], ...]

_HEADING_LINE = re.compile(
    r"^(?:#{1,6}[ \t]+|={2,}[ \t]*)(?P<title>[^\s=].*?)(?:[ \t]+#+|[ \t]*={2,})?[ \t]*$", re.MULTILINE
)
_HEADING = re.compile(r"#{1,6}\s|={2,}")


def section_at(text: str, end: int, section: str) -> str:
    """Return the title of the last heading before `end`; `section` where none stands in this part of a document."""
    titles = [each["title"] for each in _HEADING_LINE.finditer(text, 0, end)]
    return titles[-1] if titles else section


def cut(text: str, count: Callable[[str], int]) -> list[Spans]:
    """Return the passages of `text` in order, each as the places of its sentences. `count` counts tokens."""
    parts: list[list[tuple[int, int]]] = [[]]
    for start, end in sentences(text, 0, len(text)):
        if parts[-1] and _HEADING.match(text, start) and not _HEADING.match(text, parts[-1][-1][0]):
            parts.append([])
        parts[-1].append((start, end))
    return [each for part in parts for each in _evenly(part, [count(text[slice(*one)]) + 1 for one in part])]


def _evenly(part: Sequence[tuple[int, int]], tokens: Sequence[int]) -> Iterator[Spans]:
    """Yield the sentences of one part in passages of about the same length."""
    left = sum(tokens)
    passage: list[tuple[int, int]] = []
    size = 0
    aim = left / max(1, -(-left // MOST_TOKENS))
    for span, cost in zip(part, tokens, strict=True):
        if passage and (size + cost > MOST_TOKENS or size + cost / 2 > aim):
            yield tuple(passage)
            left -= size
            aim, size, passage = left / max(1, -(-left // MOST_TOKENS)), 0, []
        passage.append(span)
        size += cost
    if passage:
        yield tuple(passage)
