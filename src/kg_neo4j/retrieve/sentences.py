"""Sentences of a chunk, with their places. Pure.

The rules that chunks are made by, and beyond them: headings, list items and rows of tables are sentences of their own,
and a footnote mark may stand between two sentences without a space.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from kg_neo4j.acquire.sentences import sentences, wrapped_breaks

_BREAK = re.compile(r"[ \t]*\n\s*")
_FOOTNOTE = re.compile(r"\s?\[(?:\d{1,4}|[a-z]|note \d+|citation needed)\]")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\w)|(?<=[\w.,!?)])[*_]{1,3}(?!\w)")
_GLUED = re.compile(r"[.!?…][\"'”’»)]*(?:\[[^\]\s]{1,12}\])+(?=[^\W\d_a-z])")  # "left.[219]According"
_CELLS = " | "  # between the cells of a row
_SHORT_LINE = 60  # a line this short before a line break is a heading or an item, not wrapped prose
_LONG_LINE = 200  # text with longer lines is not wrapped


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk: `text` is chunk[start:end], word for word."""

    start: int
    end: int
    text: str


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of `text` in order, without white space around them."""
    borders = {0, len(text), *_line_borders(text), *(match.end() for match in _GLUED.finditer(text))}
    return [
        Sentence(start, end, text[start:end])
        for left, right in itertools.pairwise(sorted(borders))
        for start, end in sentences(text, left, right)
    ]


def readable(sentence: str) -> str:
    """Return a sentence for reading: one line, without footnote marks and marks of emphasis."""
    return " ".join(_EMPHASIS.sub("", _FOOTNOTE.sub("", sentence)).split())


def unwrap(text: str) -> str:
    """Return a text of the same length with a space for each line break within a sentence."""
    borders = set(_line_borders(text))
    return _BREAK.sub(lambda match: match[0] if match.end() in borders else match[0].replace("\n", " "), text)


def _line_borders(text: str) -> list[int]:
    """Return where a line break ends a sentence: at empty lines, after headings, and in text that is not wrapped."""
    wrapped = max((len(line) for line in text.splitlines()), default=0) <= _LONG_LINE
    wraps = wrapped_breaks(text)
    borders = []
    for match in _BREAK.finditer(text):
        line_start = text.rfind("\n", 0, match.start()) + 1
        line = text[line_start : match.start()].strip()
        short = len(line) < _SHORT_LINE and not text[match.end() : match.end() + 1].islower()
        short = short and text.index("\n", match.start()) not in wraps
        if match[0].count("\n") > 1 or not wrapped or short or _CELLS in line:
            borders.append(match.end())
    return borders
