"""Documents become chunks. Pure.

Small pieces (`structure.pieces`) are put together towards `max_tokens`, the target: a chunk has between three fifths of
it and five quarters (the embedding analysis), never more than `limit`, and never more than three pages. An edit
changes the chunks near it, the rest keep their ids. A piece longer than a chunk is cut at sentences, at lines in lists,
tables and code, and where there is neither at tokens.
"""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import chunk_id, text_hash
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.acquire.structure import LayoutPiece, lines, pieces, stripped
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Chunk, Document

RULES_VERSION = 3  # raised when the same text gives other chunks
DEFAULT_TOKENS = 1200  # the length study and the embedding analysis
MAX_PAGES = 3  # of one chunk (the embedding analysis)
_SPAN = 64  # chunks that are divided together; a longer text is first cut into stretches of about so many
_FEW = 3  # chunks: a stretch of at most so many is divided into no more of them than it needs
_STEPS = 10  # sizes below the least one are told apart by so many steps only, that the rank may decide

# How good a border is, lower is better. Sections come before these: 1.1 to 1.9 by the level of the heading.
PIECE_BORDER, SENTENCE_BORDER, TOKEN_BORDER, AFTER_HEADING = 2.0, 3.0, 4.0, 5.0

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


@dataclass(frozen=True, slots=True)
class ChunkBudget:
    """Tokens of a chunk's own text, its overlap with the one before not counted."""

    least: int  # at most half of `most`, so that whatever is too long for one chunk can be divided
    most: int
    overlap: int


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
    if max_tokens < 1 or (limit is not None and limit < 1):
        raise UsageError(f"a chunk has at least one token, not {min(max_tokens, limit or max_tokens)}")
    most = largest(max_tokens, limit)
    wanted = min(max_tokens, most)
    if overlap < 0 or (overlap and overlap * 2 >= wanted):
        hint = "overlap less than half a chunk"
        raise UsageError(f"an overlap of {overlap} tokens does not fit chunks of {wanted}", hint=hint)
    if document.lines:
        return tuple(_rows(document, tokeniser))
    budget = ChunkBudget(min((wanted - overlap) * 3 // 5, (most - overlap) // 2), most - overlap, overlap)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    before: Sequence[UncutSpan] = ()
    stream = _units(document.text, pieces(document), tokeniser, budget.most, document.language)
    for own in _divide(document.text, stream, tokeniser, budget):
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


def _rows(document: Document, tokeniser: Tokeniser) -> Iterator[Chunk]:
    """Yield a chunk for each row of a table, so that a row that changes leaves those of the others as they are."""
    seen: Counter[str] = Counter()
    start = 0
    called = [each.title for each in document.sections] or [""] * len(document.lines)
    rows = zip(document.lines, document.text.split("\n"), called, strict=True)
    for index, (line, text, section) in enumerate(rows):
        digest = text_hash(text)
        own = chunk_id(document.id, digest, seen[digest])
        count, end = tokeniser.count(text), start + len(text)
        yield Chunk(own, document.id, document.graph, index, text, count, start, end, section, line)
        seen[digest] += 1
        start = end + 1


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
    fits = start == own[0].start or tokeniser.count(document.text[start : own[-1].end]) <= budget.most + budget.overlap
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


# ------------------------------------------------------------------------------------------------- cutting into units


def _units(
    text: str, found: Iterable[LayoutPiece], tokeniser: Tokeniser, most: int, language: str | None = None
) -> Iterator[UncutSpan]:
    """Yield the units of all pieces, each of at most `most` tokens; `language` says how sentences end."""
    for piece in found:
        border = 1 + min(piece.level, 9) / 10 if piece.level else PIECE_BORDER
        tokens = _count(text, piece.start, piece.end, tokeniser, most)
        if tokens * _WHOLE_SHARE <= most or (piece.level and tokens <= most):
            yield UncutSpan(piece.start, piece.end, tokens + 1, piece.section, piece.level, piece.page, border)
            continue
        for start, end in _parts(text, piece, language):
            for cut_start, cut_end, cut_tokens in _cut(text, start, end, tokeniser, most):
                gap = 0 if text[cut_end : cut_end + 1] == " " else 1  # a line break is a token, a space joins a word
                kept = min(most, cut_tokens + gap)
                yield UncutSpan(cut_start, cut_end, kept, piece.section, piece.level, piece.page, border)
                border = TOKEN_BORDER
            border = SENTENCE_BORDER


def _count(text: str, start: int, end: int, tokeniser: Tokeniser, most: int) -> int:
    """Return the tokens of a span, or `most` + 1 for one that is too long to be counted whole."""
    return tokeniser.count(text[start:end]) if end - start <= most * 64 else most + 1  # characters a token


def _parts(text: str, piece: LayoutPiece, language: str | None) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a paragraph, the lines of anything else."""
    if piece.kind == "paragraph":
        yield from sentences(text, piece.start, piece.end, language)
        return
    for start, end in lines(text, piece.start, piece.end):
        line = stripped(text, start, end)
        if line[0] < line[1]:
            yield line


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


# ------------------------------------------------------------------------------------------------- dividing into chunks

# Every border between two units has a rank: a section before a paragraph before a sentence, and among equals a hash of
# the text that follows, which no edit elsewhere changes. A stretch that is too long for one chunk is divided at its
# best border that leaves neither side too short, then each side by itself. So borders hang on the text after them and
# not on what came before: an insertion leaves most borders where they were (docs/decisions/0007-chunk-borders.md has
# figures).


def _divide(
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
    following = text[after.start : after.start + 100]  # decides among equal borders
    rank = AFTER_HEADING if here.heading_level else after.border
    return rank, zlib.crc32(following.encode("utf-8", "surrogatepass"))


class _Stretch:
    """Units that are divided together."""

    def __init__(self, text: str, units: Sequence[UncutSpan], tokeniser: Tokeniser, budget: ChunkBudget) -> None:
        self._text = text
        self._units = units
        self._tokeniser = tokeniser
        self._budget = budget
        # of the border before each unit: its rank, and the tokens from the beginning of the stretch up to it
        self._ranks = [_rank(text, here, unit) for here, unit in zip([*units[:1], *units], units, strict=False)]
        self._reached = list(itertools.accumulate((unit.tokens for unit in units), initial=0))

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

    def _is_chunk(self, first: int, end: int) -> bool:
        if end - first == 1:
            return True
        units, most = self._units, self._budget.most
        if self._reached[end] - self._reached[first] > most or units[end - 1].page - units[first].page >= MAX_PAGES:
            return False
        # a whole has seldom more tokens than its parts together, but it can
        return self._tokeniser.count(self._text[units[first].start : units[end - 1].end]) <= most

    def _best(self, first: int, end: int) -> int:
        """Return before which unit the units from `first` to `end` are divided."""
        start, stop = self._reached[first], self._reached[end]
        places = range(first + 1, end)
        least = self._budget.least
        fitting = [place for place in places if least <= self._reached[place] - start <= stop - start - least]
        if fitting:
            return min(fitting, key=lambda place: self._order(place, start, stop))
        return min(places, key=lambda place: self._strain(place, start, stop))

    def _order(self, place: int, start: int, stop: int) -> tuple[float, bool, int, float]:
        """Order borders: sections first, then those that make no more chunks than are needed, then by their hash."""
        rank, most = self._ranks[place], self._budget.most
        left, right = self._reached[place] - start, stop - self._reached[place]
        needed = -(-(stop - start) // most)
        is_more = needed <= _FEW and -(-left // most) - (-right // most) > needed
        return rank[0], is_more, rank[1], abs(left - right)

    def _strain(self, place: int, start: int, stop: int) -> tuple[bool, float, tuple[float, int]]:
        """Order borders where none leaves both sides a size that can be reached: the least bad first."""
        rank = self._ranks[place]
        smaller = min(self._reached[place] - start, stop - self._reached[place])
        strain = max(0, self._budget.least - smaller) // max(1, self._budget.most // _STEPS)
        return rank[0] == AFTER_HEADING, strain, rank
