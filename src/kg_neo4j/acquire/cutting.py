"""Pieces cut into the units that chunks are put together from. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.acquire.structure import LayoutPiece, stripped

# How good a border is, lower is better. Sections come before these: 1.1 to 1.9 by the level of the heading.
PIECE_BORDER, SENTENCE_BORDER, TOKEN_BORDER, AFTER_HEADING = 2.0, 3.0, 4.0, 5.0

_CHARACTERS_A_TOKEN = 64  # longer texts are not counted whole, only part by part
_WHOLE_SHARE = 4  # a piece of more than a quarter of a chunk is cut into sentences, so that borders can be chosen


@dataclass(frozen=True, slots=True)
class UncutSpan:
    """A span that no chunk border cuts."""

    start: int
    end: int
    tokens: int
    section: str
    heading_level: int  # 0 for what is no heading
    page: int
    border: float  # how good it is to end a chunk before this unit; lower is better


def units(
    text: str, found: Iterable[LayoutPiece], tokeniser: Tokeniser, most: int, language: str | None = None
) -> Iterator[UncutSpan]:
    """Yield the units of all pieces, each of at most `most` tokens; `language` says how sentences end."""
    for piece in found:
        border = 1 + min(piece.level, 9) / 10 if piece.level else PIECE_BORDER
        tokens = _count(text, piece.start, piece.end, tokeniser, most)
        if tokens * _WHOLE_SHARE <= most or (piece.level and tokens <= most):
            yield _unit(piece, piece.start, piece.end, tokens + 1, border)
            continue
        for start, end in _parts(text, piece, language):
            for cut_start, cut_end, cut_tokens in _cut(text, start, end, tokeniser, most):
                gap = 0 if text[cut_end : cut_end + 1] == " " else 1  # a line break is a token, a space joins a word
                yield _unit(piece, cut_start, cut_end, min(most, cut_tokens + gap), border)
                border = TOKEN_BORDER
            border = SENTENCE_BORDER


def _count(text: str, start: int, end: int, tokeniser: Tokeniser, most: int) -> int:
    """Return the tokens of a span, or `most` + 1 for one that is too long to be counted whole."""
    return tokeniser.count(text[start:end]) if end - start <= most * _CHARACTERS_A_TOKEN else most + 1


def _unit(piece: LayoutPiece, start: int, end: int, tokens: int, border: float) -> UncutSpan:
    return UncutSpan(start, end, tokens, piece.section, piece.level, piece.page, border)


def _parts(text: str, piece: LayoutPiece, language: str | None) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a paragraph, the lines of anything else."""
    if piece.kind == "paragraph":
        yield from sentences(text, piece.start, piece.end, language)
        return
    start = piece.start
    while start < piece.end:
        end = text.find("\n", start, piece.end)
        end = piece.end if end < 0 else end
        line = stripped(text, start, end)
        if line[0] < line[1]:
            yield line
        start = end + 1


def _cut(text: str, start: int, end: int, tokeniser: Tokeniser, most: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, tokens) of parts of at most `most` tokens, cut at a space where one is near. Linear."""
    tokens = _count(text, start, end, tokeniser, most)
    if tokens <= most:
        yield start, end, tokens
        return
    width = most * 4  # characters looked at for one part; then about as many as the part before had
    while start < end:
        stop = _stop(text, start, min(end, start + width), end, tokeniser, most)
        width = (stop - start) * 5 // 4 + 1
        part_start, part_end = stripped(text, start, stop)
        if part_start < part_end:
            yield part_start, part_end, tokeniser.count(text[part_start:part_end])
        start = stop


def _stop(text: str, start: int, stop: int, end: int, tokeniser: Tokeniser, most: int) -> int:
    """Return the end of a part that begins at `start`, looking at first no further than `stop`."""
    while len(spans := tokeniser.spans(text[start:stop])) <= most:
        if stop == end:
            return end
        stop = min(end, start + 2 * (stop - start))
    allowed = most
    while True:
        stop = start + max(1, spans[allowed][0])
        space = max(text.rfind(" ", start, stop), text.rfind("\n", start, stop))
        if space - start > (stop - start) * 3 // 4:
            stop = space + 1
        if allowed == 1 or tokeniser.count(text[start:stop]) <= most:
            return stop
        allowed -= max(1, allowed // 10)
