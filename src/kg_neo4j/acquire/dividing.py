"""Where a text is divided into chunks. Pure.

Every border between two units has a rank: a section before a paragraph before a sentence, and among equals a hash of
the text that follows, which no edit elsewhere changes. A stretch that is too long for one chunk is divided at its best
border that leaves neither side too short, then each side by itself. So borders hang on the text after them and not on
what came before: an insertion leaves most borders where they were (docs/decisions/0007-chunk-borders.md has figures).
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.cutting import AFTER_HEADING, UncutSpan

MAX_PAGES = 3  # of one chunk (the embedding analysis)
_FOLLOWING = 100  # characters after a border that decide among equal ones
_SPAN = 64  # chunks that are divided together; a longer text is first cut into stretches of about so many
_FEW = 3  # chunks: a stretch of at most so many is divided into no more of them than it needs
_STEPS = 10  # sizes below the least one are told apart by so many steps only, that the rank may decide


@dataclass(frozen=True, slots=True)
class ChunkBudget:
    """Tokens of a chunk's own text, its overlap with the one before not counted."""

    least: int  # at most half of `most`, so that whatever is too long for one chunk can be divided
    most: int
    overlap: int


@dataclass(frozen=True, slots=True)
class _Border:
    """A border before a unit."""

    rank: tuple[float, int]  # lower is better
    before: int  # tokens from the beginning of the stretch up to here


def divide(
    text: str, stream: Iterator[UncutSpan], tokeniser: Tokeniser, budget: ChunkBudget
) -> Iterator[Sequence[UncutSpan]]:
    """Yield the units of each chunk. Holds no more units than a stretch of `_SPAN` chunks has."""
    window: list[UncutSpan] = []
    tokens = 0
    for unit in stream:
        window.append(unit)
        tokens += unit.tokens
        if tokens > _SPAN * budget.most:
            end = _stretch_end(text, window, tokens)
            yield from _Stretch(text, window[:end], tokeniser, budget).chunks()
            del window[:end]
            tokens = sum(each.tokens for each in window)
    yield from _Stretch(text, window, tokeniser, budget).chunks()


def _stretch_end(text: str, window: Sequence[UncutSpan], tokens: int) -> int:
    """Return before which unit a stretch ends: at the best border in its third quarter."""
    reached = list(itertools.accumulate(unit.tokens for unit in window))
    places = [place for place in range(1, len(window)) if tokens // 2 <= reached[place - 1] <= tokens * 3 // 4]
    return min(places, key=lambda place: _rank(text, window[place - 1], window[place]), default=len(window) - 1)


def _rank(text: str, here: UncutSpan, after: UncutSpan) -> tuple[float, int]:
    """Return how good a border between two units is: lower is better."""
    following = text[after.start : after.start + _FOLLOWING]
    rank = AFTER_HEADING if here.heading_level else after.border
    return rank, zlib.crc32(following.encode("utf-8", "surrogatepass"))


class _Stretch:
    """Units that are divided together."""

    def __init__(self, text: str, units: Sequence[UncutSpan], tokeniser: Tokeniser, budget: ChunkBudget) -> None:
        self._text = text
        self._units = units
        self._tokeniser = tokeniser
        self._budget = budget
        reached = itertools.accumulate((unit.tokens for unit in units), initial=0)
        before = units[:1]
        self._borders = [
            _Border(_rank(text, here, unit), tokens)
            for here, unit, tokens in zip(itertools.chain(before, units), units, reached, strict=False)
        ]
        self._total = sum(unit.tokens for unit in units)

    def chunks(self) -> Iterator[Sequence[UncutSpan]]:
        """Yield the units of each chunk, in order."""
        open_ = [(0, len(self._units))] if self._units else []
        while open_:
            first, end = open_.pop()
            if self._is_chunk(first, end):
                yield self._units[first:end]
                continue
            place = self._best(first, end)
            open_ += [(place, end), (first, place)]

    def _reached(self, place: int) -> int:
        return self._borders[place].before if place < len(self._borders) else self._total

    def _is_chunk(self, first: int, end: int) -> bool:
        if end - first == 1:
            return True
        units, most = self._units, self._budget.most
        if self._reached(end) - self._reached(first) > most or units[end - 1].page - units[first].page >= MAX_PAGES:
            return False
        # a whole has seldom more tokens than its parts together, but it can
        return self._tokeniser.count(self._text[units[first].start : units[end - 1].end]) <= most

    def _best(self, first: int, end: int) -> int:
        """Return before which unit the units from `first` to `end` are divided."""
        start, stop = self._reached(first), self._reached(end)
        places = range(first + 1, end)
        least = self._budget.least
        fitting = [place for place in places if least <= self._borders[place].before - start <= stop - start - least]
        if fitting:
            return min(fitting, key=lambda place: self._order(place, start, stop))
        return min(places, key=lambda place: self._strain(place, start, stop))

    def _order(self, place: int, start: int, stop: int) -> tuple[float, bool, int, float]:
        """Order borders: sections first, then those that make no more chunks than are needed, then by their hash."""
        border, most = self._borders[place], self._budget.most
        left, right = border.before - start, stop - border.before
        needed = -(-(stop - start) // most)
        is_more = needed <= _FEW and -(-left // most) - (-right // most) > needed
        return border.rank[0], is_more, border.rank[1], abs(left - right)

    def _strain(self, place: int, start: int, stop: int) -> tuple[bool, float, tuple[float, int]]:
        """Order borders where none leaves both sides a size that can be reached: the least bad first."""
        border = self._borders[place]
        smaller = min(border.before - start, stop - border.before)
        strain = max(0, self._budget.least - smaller) // max(1, self._budget.most // _STEPS)
        return border.rank[0] == AFTER_HEADING, strain, border.rank
