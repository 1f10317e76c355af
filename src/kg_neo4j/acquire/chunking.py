"""Documents become chunks. Pure.

Small pieces (`structure.pieces`) are aggregated towards `max_tokens`, the target: a chunk has between three fifths of
it and five quarters (the embedding analysis: 1,200 as target, 1,500 at most), never more than `limit`, and never more
than three pages. Where borders are best is decided in `dividing`: an edit changes the chunks near it, the rest keep
their ids. A piece longer than a chunk is cut at sentences, at lines in lists, tables and code, and where there is
neither at tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.cutting import UncutSpan, units
from kg_neo4j.acquire.dividing import MAX_PAGES, ChunkBudget, divide
from kg_neo4j.acquire.identity import chunk_id, text_hash
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.acquire.structure import each_piece, pieces
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Chunk, Document

__all__ = ["DEFAULT_TOKENS", "MAX_PAGES", "chunk", "largest", "pieces", "target"]

RULES_VERSION = 2  # raised when the same text gives other chunks
DEFAULT_TOKENS = 1200  # the length study and the embedding analysis


def largest(max_tokens: int, limit: int | None = None) -> int:
    """Return how many tokens a chunk may have at most: five quarters of the target, or `limit` if that is less."""
    most = max(1, max_tokens * 5 // 4)
    return most if limit is None else min(most, limit)


def target(most: int) -> int:
    """Return the target by which no chunk has over `most` tokens."""
    return max(1, most * 4 // 5)


def chunk(
    document: Document,
    tokeniser: Tokeniser,
    *,
    max_tokens: int = DEFAULT_TOKENS,
    overlap: int = 0,
    limit: int | None = None,
) -> tuple[Chunk, ...]:
    """Return the chunks of `document`, in order.

    Chunks have about `max_tokens` tokens, at most `largest(max_tokens, limit)`, the overlap included; that of a short
    text has fewer. `overlap` tokens, in whole sentences where they fit, are repeated from the chunk before. The text of
    each is `document.text[start:end]`; together they hold everything but white space. Raises UsageError for an overlap
    of half a chunk or more.
    """
    budget = _budget(max_tokens, overlap, limit)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    before: Sequence[UncutSpan] = ()
    stream = units(document.text, each_piece(document), tokeniser, budget.most, document.language)
    for own in divide(document.text, stream, tokeniser, budget):
        start, end = _overlap_start(document, before, own, tokeniser, budget), own[-1].end
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


def _budget(max_tokens: int, overlap: int, limit: int | None) -> ChunkBudget:
    if max_tokens < 1 or (limit is not None and limit < 1):
        raise UsageError(f"a chunk has at least one token, not {min(max_tokens, limit or max_tokens)}")
    most = largest(max_tokens, limit)
    target = min(max_tokens, most)
    if overlap < 0 or (overlap and overlap * 2 >= target):
        raise UsageError(
            f"an overlap of {overlap} tokens does not fit chunks of {target}", hint="overlap less than half a chunk"
        )
    return ChunkBudget(min((target - overlap) * 3 // 5, (most - overlap) // 2), most - overlap, overlap)


def _overlap_start(
    document: Document, before: Sequence[UncutSpan], own: Sequence[UncutSpan], tokeniser: Tokeniser, budget: ChunkBudget
) -> int:
    """Return where the text begins that is repeated from the chunk before: whole units, else the last words of one."""
    start, left = own[0].start, budget.overlap
    first_page = own[-1].page - MAX_PAGES + 1
    for unit in reversed(before):
        if unit.page < first_page:
            break
        if unit.tokens > left:
            start = _tail_start(document, unit, tokeniser, left, start == own[0].start) or start
            break
        left -= unit.tokens
        start = unit.start
    fits = tokeniser.count(document.text[start : own[-1].end]) <= budget.most + budget.overlap
    return start if fits else own[0].start


def _tail_start(document: Document, unit: UncutSpan, tokeniser: Tokeniser, tokens: int, may_cut: bool) -> int | None:
    """Return where the last sentences of a unit begin that have at most `tokens` tokens.

    Where not even one fits, where its last words begin, if a sentence may be cut; None where nothing fits.
    """
    text = document.text
    start, left = None, tokens
    for sentence_start, sentence_end in reversed(list(sentences(text, unit.start, unit.end, document.language))):
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
