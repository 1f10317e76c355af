"""Sentences of a chunk, with their places. Pure.

The rules that chunks are made by, and beyond them: headings, list items and rows of tables are sentences of their own,
and a footnote mark may stand between two sentences without a space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j.acquire.sentences import sentences

_FOOTNOTE = re.compile(r"\s?\[(?:\d{1,4}|[a-z]|note \d+|citation needed)\]")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\w)|(?<=[\w.,!?)])[*_]{1,3}(?!\w)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk: `text` is chunk[start:end], word for word."""

    start: int
    end: int
    text: str


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of `text` in order, without white space around them."""
    return [Sentence(start, end, text[start:end]) for start, end in sentences(text, 0, len(text))]


def readable(sentence: str) -> str:
    """Return a sentence for reading: one line, without footnote marks and marks of emphasis."""
    return " ".join(_EMPHASIS.sub("", _FOOTNOTE.sub("", sentence)).split())
