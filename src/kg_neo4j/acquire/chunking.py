"""Documents become chunks. Pure.

Small pieces (`structure.pieces`) are aggregated towards `max_tokens`, the target: a chunk has between three quarters of
it and five quarters (W5: 1,200 as target, 1,500 at most), never more than `limit`, and never more than three pages. The
border is the best one in that range: a section before a paragraph before a sentence, and among equals the one whose
surrounding text hashes lowest. So borders hang on the text around them and not on what came long before: an insertion
changes the chunks near it, the rest keep their ids. A piece longer than that is cut at sentences, at lines in lists,
tables and code, and where there is neither at tokens.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.cutting import AFTER_HEADING, Unit, units
from kg_neo4j.acquire.identity import chunk_id, text_hash
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.acquire.structure import Piece, each_piece, pieces
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Chunk, Document

__all__ = ["DEFAULT_TOKENS", "MAX_PAGES", "Piece", "chunk", "largest", "pieces"]

RULES_VERSION = 1  # raised when the same text gives other chunks
DEFAULT_TOKENS = 1200  # W2 and W5
MAX_PAGES = 3  # W5
_AROUND = 100  # characters on either side of a border that decide among equal ones


@dataclass(frozen=True, slots=True)
class _Budget:
    """Tokens of a chunk's own text, its overlap with the one before not counted."""

    least: int
    most: int
    overlap: int


def largest(max_tokens: int, limit: int | None = None) -> int:
    """Return how many tokens a chunk may have at most: five quarters of the target, or `limit` if that is less."""
    most = max(1, max_tokens * 5 // 4)
    return most if limit is None else min(most, limit)


def chunk(
    document: Document,
    tokeniser: Tokeniser,
    *,
    max_tokens: int = DEFAULT_TOKENS,
    overlap: int = 0,
    limit: int | None = None,
) -> tuple[Chunk, ...]:
    """Return the chunks of `document`, in order.

    Chunks have about `max_tokens` tokens, at most `largest(max_tokens, limit)`, the overlap included; the last one may
    be short. `overlap` tokens, in whole sentences where they fit, are repeated from the chunk before. Each chunk's text
    is `document.text[start:end]`; together they hold everything but white space. Raises UsageError for an overlap of
    half a chunk or more.
    """
    budget = _budget(max_tokens, overlap, limit)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    before: Sequence[Unit] = ()
    stream = units(document.text, each_piece(document), tokeniser, budget.most)
    for own in _packed(document.text, stream, tokeniser, budget):
        start, end = _overlap_start(document.text, before, own, tokeniser, budget), own[-1].end
        text = document.text[start:end]
        digest = text_hash(text)
        chunks.append(
            Chunk(
                id=chunk_id(document.id, digest, seen[digest]),
                document_id=document.id,
                graph=document.graph,
                index=len(chunks),
                text=text,
                token_count=tokeniser.count(text),
                start=start,
                end=end,
                section=own[0].section,
            )
        )
        seen[digest] += 1
        before = own
    return tuple(chunks)


def _budget(max_tokens: int, overlap: int, limit: int | None) -> _Budget:
    if max_tokens < 1 or (limit is not None and limit < 1):
        raise UsageError(f"a chunk has at least one token, not {min(max_tokens, limit or max_tokens)}")
    most = largest(max_tokens, limit)
    target = min(max_tokens, most)
    if overlap < 0 or (overlap and overlap * 2 >= target):
        raise UsageError(
            f"an overlap of {overlap} tokens does not fit chunks of {target}", hint="overlap less than half a chunk"
        )
    return _Budget((target - overlap) * 3 // 4, most - overlap, overlap)


def _packed(text: str, stream: Iterator[Unit], tokeniser: Tokeniser, budget: _Budget) -> Iterator[Sequence[Unit]]:
    """Yield the units of each chunk. Holds no more units than one chunk has, and one more."""
    window: list[Unit] = []
    while True:
        is_end = not _fill(window, stream, budget)
        if not window:
            return
        last = len(window) - 1 if is_end else _last(text, window, budget)
        while last and (over := tokeniser.count(text[window[0].start : window[last].end]) - budget.most) > 0:
            while last and over > 0:  # a whole has seldom more tokens than its parts together, but it can
                over -= window[last].tokens
                last -= 1
        yield window[: last + 1]
        del window[: last + 1]


def _fill(window: list[Unit], stream: Iterator[Unit], budget: _Budget) -> bool:
    """Add units until one does not fit any more, that one included. Return False where the stream ended before."""
    tokens = sum(unit.tokens for unit in window)
    while len(window) < 2 or (tokens <= budget.most and window[-1].page - window[0].page < MAX_PAGES):
        unit = next(stream, None)
        if unit is None:
            return False
        window.append(unit)
        tokens += unit.tokens
    return True


def _last(text: str, window: Sequence[Unit], budget: _Budget) -> int:
    """Return the unit after which a chunk had best end; the last one in the window does not fit."""
    tokens = 0
    best: tuple[tuple[float, int], int] | None = None
    for index, unit in enumerate(window[:-1]):
        tokens += unit.tokens
        if tokens >= budget.least:
            rank = _rank(text, unit, window[index + 1])
            best = (rank, index) if best is None or rank <= best[0] else best
    return best[1] if best else _before_headings(window, len(window) - 2)


def _before_headings(window: Sequence[Unit], last: int) -> int:
    """Step back from headings, which belong to what follows them."""
    stepped = last
    while stepped > 0 and window[stepped].heading_level:
        stepped -= 1
    return last if window[stepped].heading_level else stepped


def _rank(text: str, here: Unit, after: Unit) -> tuple[float, int]:
    """Return how good a border between two units is: lower is better."""
    around = text[max(here.start, here.end - _AROUND) : min(after.end, after.start + _AROUND)]
    rank = AFTER_HEADING if here.heading_level else after.border
    return rank, zlib.crc32(around.encode("utf-8", "surrogatepass"))


def _overlap_start(
    text: str, before: Sequence[Unit], own: Sequence[Unit], tokeniser: Tokeniser, budget: _Budget
) -> int:
    """Return where the text begins that is repeated from the chunk before: whole units, else the last words of one."""
    start, left = own[0].start, budget.overlap
    first_page = own[-1].page - MAX_PAGES + 1
    for unit in reversed(before):
        if unit.page < first_page:
            break
        if unit.tokens > left:
            start = _tail_start(text, unit, tokeniser, left, start == own[0].start) or start
            break
        left -= unit.tokens
        start = unit.start
    fits = tokeniser.count(text[start : own[-1].end]) <= budget.most + budget.overlap
    return start if fits else own[0].start


def _tail_start(text: str, unit: Unit, tokeniser: Tokeniser, tokens: int, may_cut: bool) -> int | None:
    """Return where the last sentences of a unit begin that have at most `tokens` tokens.

    Where not even one fits, where its last words begin, if a sentence may be cut; None where nothing fits.
    """
    start, left = None, tokens
    for sentence_start, sentence_end in reversed(list(sentences(text, unit.start, unit.end))):
        left -= tokeniser.count(text[sentence_start:sentence_end])
        if left < 0:
            break
        start = sentence_start
    if start is not None or not may_cut or not tokens:
        return start
    spans = tokeniser.spans(text[unit.start : unit.end])
    cut = unit.start + spans[-min(tokens, len(spans))][0]
    while unit.start < cut < unit.end and not text[cut - 1].isspace():
        cut += 1
    return cut if cut < unit.end else None
