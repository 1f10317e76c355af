"""Approach A1 of the Wikipedia report: sentences without stop words. Only what the model is shown is shortened.

The report found it worse than the whole text, because it fragments the context. Negations stay.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j.acquire.language import primary
from kg_neo4j.acquire.sentences import sentences

if TYPE_CHECKING:
    from spacy.language import Language

_NEGATIONS = data_files.beside(__file__).word_set("negations")
_BLOCK = 100_000  # characters given to spaCy at once


@dataclass(frozen=True, slots=True)
class Shortened:
    """A shortened text. The words that were kept are in both texts; `to_source` leads from one to the other."""

    text: str
    starts: tuple[int, ...]  # of each kept word in `text`, ascending
    source_starts: tuple[int, ...]  # of the same words in the source
    lengths: tuple[int, ...]  # the same in both

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that begins and ends with the words that `text[start:end]` does.

        Words that were removed between them are within it. A span without a word gives an empty span.
        """
        first = max(0, bisect_right(self.starts, start) - 1)
        if first < len(self.starts) and start >= self.starts[first] + self.lengths[first]:
            first += 1  # `start` is in the space before the next word
        last = bisect_right(self.starts, end - 1) - 1
        if end <= start or first >= len(self.starts) or last < first:
            after = self.source_starts[-1] + self.lengths[-1] if self.starts else 0
            place = self.source_starts[first] if first < len(self.starts) else after
            return place, place
        begin = self.source_starts[first] + max(0, start - self.starts[first])
        stop = self.source_starts[last] + min(self.lengths[last], end - self.starts[last])
        return begin, stop


def shorten(text: str, language: str | None = None) -> Shortened:
    """Return `text` as one sentence a line, without stop words but with its negations.

    `language` is a code that spaCy has stop words for, default English; with another nothing is removed. Text of stop
    words alone gives an empty text.
    """
    nlp = _pipeline(primary(language) or "en")
    parts: list[str] = []
    starts: list[int] = []
    source_starts: list[int] = []
    lengths: list[int] = []
    length = 0
    for block_start, block in _blocks(text):
        previous_end, previous_sentence = -1, -1
        ends = [end for _, end in sentences(block, 0, len(block), language)]
        for token in nlp(block):
            if token.is_space or (token.is_stop and token.lower_ not in _NEGATIONS):
                continue
            sentence = bisect_right(ends, token.idx)
            gap = "" if not length or token.idx == previous_end else " "
            if length and sentence != previous_sentence:
                gap = "\n"
            parts += [gap, token.text]
            length += len(gap)
            starts.append(length)
            source_starts.append(block_start + token.idx)
            lengths.append(len(token.text))
            length += len(token.text)
            previous_end, previous_sentence = token.idx + len(token.text), sentence
    return Shortened("".join(parts), tuple(starts), tuple(source_starts), tuple(lengths))


@cache
def _pipeline(language: str) -> Language:
    """Return spaCy's tokeniser and stop words for a language; no trained model."""
    import spacy

    try:
        return spacy.blank(language)
    except ImportError:  # how spaCy says that it does not know the language, or lacks what it needs for it
        return spacy.blank("xx")


def _blocks(text: str) -> list[tuple[int, str]]:
    """Return (start, text) of blocks cut at line breaks or spaces: spaCy holds a million characters at most."""
    blocks: list[tuple[int, str]] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + _BLOCK)
        if end < len(text):
            border = max(text.rfind("\n", start, end), text.rfind(" ", start, end))
            end = border + 1 if border > start else end
        blocks.append((start, text[start:end]))
        start = end
    return blocks
