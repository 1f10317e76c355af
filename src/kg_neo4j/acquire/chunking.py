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
from kg_neo4j.acquire.structure import Piece, pieces
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Chunk, Document

__all__ = ["DEFAULT_TOKENS", "MAX_PAGES", "Piece", "chunk", "largest", "pieces"]

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
    found = list(units(document.text, pieces(document), tokeniser, budget.most))
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for first, last in _packed(document.text, found, tokeniser, budget):
        start = _overlap_start(document.text, found, first, tokeniser, budget) if chunks else found[first].start
        end = found[last].end
        text = document.text[start:end]
        tokens = tokeniser.count(text)
        if start < found[first].start and tokens > budget.most + budget.overlap:
            start, text = found[first].start, document.text[found[first].start : end]
            tokens = tokeniser.count(text)
        digest = text_hash(text)
        chunks.append(
            Chunk(
                id=chunk_id(document.id, digest, seen[digest]),
                document_id=document.id,
                graph=document.graph,
                index=len(chunks),
                text=text,
                token_count=tokens,
                start=start,
                end=end,
                section=found[first].section,
            )
        )
        seen[digest] += 1
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


def _packed(text: str, found: Sequence[Unit], tokeniser: Tokeniser, budget: _Budget) -> Iterator[tuple[int, int]]:
    """Yield (first, last) unit of each chunk."""
    first = 0
    while first < len(found):
        last = _last(text, found, first, budget)
        while last > first and tokeniser.count(text[found[first].start : found[last].end]) > budget.most:
            last -= 1  # tokens of a whole are seldom more than those of its parts, but they can be
        yield first, last
        first = last + 1


def _last(text: str, found: Sequence[Unit], first: int, budget: _Budget) -> int:
    """Return the unit after which the chunk that begins with `first` had best end."""
    tokens = 0
    best: tuple[tuple[float, int], int] | None = None
    for index in range(first, len(found)):
        tokens += found[index].tokens
        if index > first and (tokens > budget.most or found[index].page - found[first].page >= MAX_PAGES):
            return best[1] if best else _before_headings(found, first, index - 1)
        if tokens >= budget.least:
            rank = _rank(text, found, index)
            best = (rank, index) if best is None or rank <= best[0] else best
    return len(found) - 1


def _before_headings(found: Sequence[Unit], first: int, last: int) -> int:
    """Step back from headings, which belong to what follows them."""
    while last > first and found[last].heading_level:
        last -= 1
    return last


def _rank(text: str, found: Sequence[Unit], index: int) -> tuple[float, int]:
    """Return how good a border after unit `index` is: lower is better."""
    if index + 1 == len(found):
        return 0.0, 0
    here, after = found[index], found[index + 1]
    around = text[max(here.start, here.end - _AROUND) : min(after.end, after.start + _AROUND)]
    rank = AFTER_HEADING if here.heading_level else after.border
    return rank, zlib.crc32(around.encode("utf-8", "surrogatepass"))


def _overlap_start(text: str, found: Sequence[Unit], first: int, tokeniser: Tokeniser, budget: _Budget) -> int:
    """Return where the text that is repeated before unit `first` begins: whole units, else the last tokens of one."""
    start, tokens = first, 0
    while start > 0 and tokens + found[start - 1].tokens <= budget.overlap:
        start -= 1
        tokens += found[start].tokens
    if start < first or not budget.overlap:
        return found[start].start
    before = found[first - 1]
    spans = tokeniser.spans(text[before.start : before.end])
    cut = before.start + spans[len(spans) - budget.overlap][0]
    while cut < before.end and not text[cut - 1].isspace():
        cut += 1
    return cut if cut < before.end else found[first].start
